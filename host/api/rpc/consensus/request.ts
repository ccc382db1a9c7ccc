import { RequestScan, type RequestShape } from '../protocol/request-scan.ts'

/** No request of ten calls needs as much. */
const REQUEST_SHAPE: RequestShape = { values: 1000, depth: 32 }

/** The JSON of a body or a message. Throws where it is none, or of more values or depth than any request has. */
export function parseRequest(bytes: Uint8Array): unknown {
  const scan = new RequestScan(bytes, REQUEST_SHAPE)
  while (!scan.step());
  return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
}
