/* The bundled page as read-only bytes: uptack_page_begin up to uptack_page_end (page.cpp). */

    .section .rodata
    .global uptack_page_begin
    .global uptack_page_end
uptack_page_begin:
    .incbin UPTACK_PAGE
uptack_page_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
