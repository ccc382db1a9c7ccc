// An import of node:http would read all that it exports, and so load undici for its WebSocket: 10 ms of each start.
const http = process.getBuiltinModule('node:http')

/** Bytes that the headers of a request may take, as Node has it. */
export const MAX_HEADER_SIZE: number = http.maxHeaderSize

/** The texts of the statuses of HTTP. */
export const { STATUS_CODES } = http
