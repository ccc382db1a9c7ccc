/**
 * Possible results of a request. `served`: answered like the plain one, as is the next request on its connection. A
 * status: the only response, after which the connection is closed. `silent`: no response, and the connection is
 * closed after it was idle. If there are several, the clause allows each.
 */
export type WireOutcome = readonly (number | 'served' | 'silent')[]

/**
 * A case of RFC 9112 (or of RFC 9110, if the clause says so): the bytes of one request. `{target}`, `{body}`,
 * `{length}` and `{size}`, the last in hexadecimal, are replaced with those of a valid request to the port.
 */
export interface WireCase {
  readonly name: string
  readonly clause: string
  readonly bytes: string
  readonly outcome: WireOutcome
  /** The results with uWebSockets.js, which never continues to read at a wrong offset. */
  readonly uws?: WireOutcome
}

const TYPE = 'Content-Type: application/json\r\n'
const HEAD = `POST {target} HTTP/1.1\r\nHost: localhost\r\n${TYPE}`
const WHOLE = 'Content-Length: {length}\r\n\r\n{body}'
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`

/** uWebSockets.js does not parse chunks correctly, so they are refused. */
const NO_CHUNKS: WireOutcome = [501]
/** Its response to an invalid request line. */
const NO_REQUEST_LINE: WireOutcome = [400, 505]
/** It waits for the rest of what it parses as the beginning of a request. */
const UNFINISHED: WireOutcome = ['silent']

function chunks(name: string, clause: string, bytes: string, outcome: WireOutcome): WireCase {
  return { name, clause, bytes: `${CHUNKED}${bytes}`, outcome, uws: NO_CHUNKS }
}

/** Returns a request with Host and these field lines. */
function fields(
  name: string,
  clause: string,
  lines: string,
  outcome: WireOutcome,
  uws?: WireOutcome,
): WireCase {
  return { name, clause, bytes: `${HEAD}${lines}\r\n${WHOLE}`, outcome, ...(uws && { uws }) }
}

/** Returns a request with one or more given Host lines. */
function host(name: string, lines: string, outcome: WireOutcome): WireCase {
  const bytes = `POST {target} HTTP/1.1\r\n${lines}${TYPE}${WHOLE}`
  return { name, clause: '3.2', bytes, outcome }
}

/** Returns a request with these framing fields and a valid body. */
function framing(name: string, clause: string, lines: string, outcome: WireOutcome): WireCase {
  return { name, clause, bytes: `${HEAD}${lines}\r\n\r\n{body}`, outcome }
}

function requestLine(
  name: string,
  clause: string,
  line: string,
  outcome: WireOutcome,
  uws?: WireOutcome,
): WireCase {
  const bytes = `${line}\r\nHost: localhost\r\n${TYPE}${WHOLE}`
  return { name, clause, bytes, outcome, ...(uws && { uws }) }
}

export const WIRE_CASES: readonly WireCase[] = [
  requestLine('a plain request', '3', 'POST {target} HTTP/1.1', ['served']),
  // Targets
  requestLine(
    'the absolute form',
    '3.2.2',
    'POST http://localhost{target} HTTP/1.1',
    ['served'],
    NO_REQUEST_LINE,
  ),
  requestLine(
    'the absolute form with a port',
    '3.2.2',
    'POST http://localhost:80{target} HTTP/1.1',
    ['served'],
    NO_REQUEST_LINE,
  ),
  requestLine(
    'an absolute form without a host',
    '3.2.2',
    'POST http://{target} HTTP/1.1',
    [400],
    NO_REQUEST_LINE,
  ),
  {
    name: 'the asterisk form',
    clause: '3.2.4',
    bytes: 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n',
    outcome: ['served'],
    uws: NO_REQUEST_LINE,
  },
  requestLine(
    'a target that does not begin with a slash',
    '3.2.1',
    'POST x{target} HTTP/1.1',
    [400],
    NO_REQUEST_LINE,
  ),
  requestLine(
    'the authority form',
    '3.2.3',
    'CONNECT localhost:80 HTTP/1.1',
    [400, 405, 501],
    NO_REQUEST_LINE,
  ),
  requestLine('a space in the target', '3.2', 'POST {target} x HTTP/1.1', [400], NO_REQUEST_LINE),
  requestLine(
    'a control character in the target',
    '3.2',
    'POST {target}\x01 HTTP/1.1',
    [400],
    NO_REQUEST_LINE,
  ),
  // Request lines
  {
    name: 'an empty line before the request line',
    clause: '2.2',
    bytes: `\r\n${HEAD}${WHOLE}`,
    outcome: ['served', 400],
    uws: UNFINISHED,
  },
  requestLine(
    'two spaces in the request line',
    '3',
    'POST  {target} HTTP/1.1',
    ['served', 400],
    NO_REQUEST_LINE,
  ),
  requestLine('a tab in the request line', '3', 'POST\t{target} HTTP/1.1', [400], NO_REQUEST_LINE),
  requestLine('no target', '3', 'POST HTTP/1.1', [400], NO_REQUEST_LINE),
  requestLine('no version', '3', 'POST {target}', [400, 505], UNFINISHED),
  requestLine('version 2.0', '2.3', 'POST {target} HTTP/2.0', [400, 505]),
  requestLine('a version in lower case', '2.3', 'POST {target} http/1.1', [400, 505]),
  requestLine('a version with more behind it', '2.3', 'POST {target} HTTP/1.1x', [400, 505]),
  requestLine('a version without a dot', '2.3', 'POST {target} HTTP/11', [400, 505]),
  requestLine('a method that is none', '3.1', 'PO(ST {target} HTTP/1.1', [400, 501]),
  requestLine('a method in lower case', '3.1', 'post {target} HTTP/1.1', [400, 405, 501, 'served']),
  // Lines
  {
    name: 'bare LF in the header section',
    clause: '2.2',
    bytes: `${HEAD}${WHOLE}`.replaceAll('\r\n', '\n'),
    outcome: ['served', 400],
    uws: NO_REQUEST_LINE,
  },
  fields('bare CR in a field', '2.2', 'X-A: b\rc', [400], UNFINISHED),
  fields('a field behind bare CR', '2.2', 'X-A: b\rX-C: d', [400], UNFINISHED),
  // Fields
  fields('spaces around a field value', '5.1', 'X-A: \t b \t', ['served']),
  fields('a space before the colon', '5.1', 'X-A : b', [400]),
  fields('a space before the colon of a length', '5.1', 'Content-Length : 0', [400]),
  fields('a folded field', '5.2', 'X-A: b\r\n c', [400]),
  {
    name: 'a space before the first field',
    clause: '2.2',
    bytes: `POST {target} HTTP/1.1\r\n Host: localhost\r\n${TYPE}${WHOLE}`,
    outcome: [400],
  },
  fields('a field without a colon', '5', 'X-A', [400]),
  fields('a field without a name', '5', ': b', [400], [411]),
  fields('a name that is no token', '5', 'X(A: b', [400]),
  fields('NUL in a field value', 'RFC 9110 5.5', 'X-A: b\0c', [400]),
  fields('NUL in a field name', '5', 'X\0A: b', [400]),
  fields('bytes over 127 in a field value', 'RFC 9110 5.5', 'X-A: \xe9', ['served']),
  fields('fields of more than 16 KiB', '3', `X-A: ${'a'.repeat(40_000)}`, [431]),
  // Host
  host('no Host', '', [400]),
  host('no name in Host', 'Host:\r\n', ['served', 400]),
  host('two Hosts', 'Host: localhost\r\nHost: localhost\r\n', [400]),
  host('two Hosts that differ', 'Host: localhost\r\nHost: evil.example\r\n', [400]),
  host('a Host with more behind its bracket', 'Host: [::1]evil.com\r\n', [400]),
  host('a Host without its closing bracket', 'Host: [::1\r\n', [400]),
  host('a Host of two names', 'Host: localhost evil.example\r\n', [400]),
  host('a Host that is a list', 'Host: localhost, evil.example\r\n', [400]),
  host('a Host with a user', 'Host: evil.example@localhost\r\n', [400]),
  host('a Host with a path', 'Host: localhost/x\r\n', [400]),
  host('a Host whose port is no number', 'Host: localhost:8o\r\n', [400]),
  host('a Host with a port', 'Host: localhost:8545\r\n', ['served']),
  host('an address with a port', 'Host: [::1]:8545\r\n', ['served']),
  // Lengths
  framing('two lengths that differ', '6.3', 'Content-Length: {length}\r\nContent-Length: 1', [400]),
  framing(
    'two lengths that differ, the wrong one first',
    '6.3',
    'Content-Length: 1\r\nContent-Length: {length}',
    [400],
  ),
  framing('two lengths that differ in one line', '6.3', 'Content-Length: {length}, 1', [400]),
  framing('the same length twice', '6.3', 'Content-Length: {length}\r\nContent-Length: {length}', [
    'served',
    400,
  ]),
  framing('the same length twice in one line', '6.3', 'Content-Length: {length}, {length}', [
    'served',
    400,
  ]),
  framing('a negative length', 'RFC 9110 8.6', 'Content-Length: -{length}', [400]),
  framing('a length with a plus sign', 'RFC 9110 8.6', 'Content-Length: +{length}', [400]),
  framing('a length in hexadecimal', 'RFC 9110 8.6', 'Content-Length: 0x{size}', [400]),
  framing('a length with an exponent', 'RFC 9110 8.6', 'Content-Length: 1e1', [400]),
  framing('a length of two numbers', 'RFC 9110 8.6', 'Content-Length: {length} 1', [400]),
  framing('an empty length', 'RFC 9110 8.6', 'Content-Length:', [400]),
  framing('a length of 2^64', 'RFC 9110 8.6', 'Content-Length: 18446744073709551616', [400, 413]),
  framing(
    'a length of 2^64 and the true one',
    'RFC 9110 8.6',
    'Content-Length: 18446744073709551670',
    [400, 413],
  ),
  // Transfer codings
  framing(
    'both a length and a coding',
    '6.3',
    'Content-Length: {length}\r\nTransfer-Encoding: chunked',
    [400, 501],
  ),
  framing(
    'both a coding and a length',
    '6.3',
    'Transfer-Encoding: chunked\r\nContent-Length: {length}',
    [400],
  ),
  framing('a coding that is none', '6.1', 'Transfer-Encoding: xchunked', [400, 501]),
  framing('the coding of old', '6.1', 'Transfer-Encoding: identity', [400, 501]),
  framing('a coding before chunks', '6.1', 'Transfer-Encoding: gzip, chunked', [400, 501]),
  framing('a coding behind chunks', '6.3', 'Transfer-Encoding: chunked, identity', [400, 501]),
  framing('chunks twice', '6.1', 'Transfer-Encoding: chunked, chunked', [400, 501]),
  framing(
    'two lines of codings',
    '6.1',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    [400, 501],
  ),
  framing(
    'a coding behind a control character',
    '6.1',
    'Transfer-Encoding: \x0bchunked',
    [400, 501],
  ),
  framing('an empty coding', '6.1', 'Transfer-Encoding:', [400, 501]),
  // Chunks
  chunks('a chunk', '7.1', '{size}\r\n{body}\r\n0\r\n\r\n', ['served']),
  chunks('a size with zeros before it', '7.1', '000{size}\r\n{body}\r\n000\r\n\r\n', ['served']),
  chunks('a chunk extension', '7.1.1', '{size};a=b\r\n{body}\r\n0\r\n\r\n', ['served']),
  chunks('a quoted chunk extension', '7.1.1', '{size};a="b;c"\r\n{body}\r\n0;d\r\n\r\n', [
    'served',
  ]),
  chunks('a trailer field', '7.1.2', '{size}\r\n{body}\r\n0\r\nX-Sum: abc\r\n\r\n', ['served']),
  chunks(
    'a trailer field that looks like a request line',
    '7.1.2',
    '{size}\r\n{body}\r\n0\r\nGET: /health HTTP/1.1\r\nHost: localhost\r\n\r\n',
    ['served'],
  ),
  chunks('spaces around a chunk size', '7.1', ' {size} \r\n{body}\r\n0\r\n\r\n', [400]),
  chunks('an empty chunk size', '7.1', '\r\n{body}\r\n0\r\n\r\n', [400]),
  chunks('bare LF behind chunk sizes', '7.1', '{size}\n{body}\n0\n\n', [400]),
  chunks('bare LF behind a chunk extension', '7.1.1', '{size};a\n{body}\r\n0\r\n\r\n', [400]),
  chunks("other bytes in the place of a chunk's CRLF", '7.1', '{size}\r\n{body}XX0\r\n\r\n', [400]),
  chunks('a chunk size that is no number', '7.1', 'xyz\r\n{body}\r\n0\r\n\r\n', [400]),
  chunks('a chunk size with 0x', '7.1', '0x{size}\r\n{body}\r\n0\r\n\r\n', [400]),
  chunks('a negative chunk size', '7.1', '-{size}\r\n{body}\r\n0\r\n\r\n', [400]),
  chunks('a chunk size over 2^64', '7.1', '10000000000000000{size}\r\n{body}\r\n0\r\n\r\n', [400]),
  chunks('NUL in a chunk size', '7.1', '{size}\0\r\n{body}\r\n0\r\n\r\n', [400]),
  // Expectations
  fields('an expectation of 100', 'RFC 9110 10.1.1', 'Expect: 100-continue', ['served']),
]

/** A POST that a port answers, with any status. */
export interface WireRequest {
  readonly target: string
  readonly body: string
}

/** Returns the bytes of a case, as latin1, for a port's request. */
export function wireBytes({ bytes }: WireCase, { target, body }: WireRequest): Buffer {
  const parts = {
    target,
    body,
    length: String(body.length),
    size: body.length.toString(16),
  }
  const filled = bytes.replace(/\{(target|body|length|size)\}/g, (_, name: keyof typeof parts) => {
    return parts[name]
  })
  return Buffer.from(filled, 'latin1')
}
