// Importing node:http would evaluate all its exports and so load undici for its WebSocket, which adds 10 ms to each
// start.
const http = process.getBuiltinModule('node:http')

/** Maximum size of the request headers in bytes, as set in Node. */
export const MAX_HEADER_SIZE: number = http.maxHeaderSize

/** HTTP reason phrases by status code. */
export const { STATUS_CODES } = http
