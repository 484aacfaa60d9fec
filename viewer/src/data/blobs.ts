// The named blobs of the page: base64 of deflated bytes in <script id="blob-NAME"> elements.

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let k = 0; k < letters.length; ++k) bytes[k] = letters.charCodeAt(k);
    return bytes;
}

/// Inflates off the main thread.  Rejects where there is no such blob or it is damaged.
export async function blob(name: string): Promise<ArrayBuffer> {
    const element = document.getElementById(`blob-${name}`);
    if (!element) throw new Error(`the page has no data "${name}"`);
    try {
        const packed = new Blob([fromBase64(element.textContent ?? "")]);
        return await new Response(packed.stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
    } catch {
        throw new Error(`the data "${name}" is damaged`);  // the browser's own words name no cause
    }
}
