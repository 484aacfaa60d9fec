// Takes the room's place until its first file is there.
