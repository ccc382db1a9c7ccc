import { RequestScan, type RequestShape } from '../protocol/request-scan.ts'

/** More than any request of ten calls needs. */
const REQUEST_SHAPE: RequestShape = { values: 1000, depth: 32 }

/** Parses the JSON of a body or message. Throws if it is invalid, or exceeds the limits on values or depth. */
export function parseRequest(bytes: Uint8Array): unknown {
  const scan = new RequestScan(bytes, REQUEST_SHAPE)
  while (!scan.step());
  return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
}
