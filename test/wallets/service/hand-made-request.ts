import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type SignKeyObjectInput,
  sign,
} from 'node:crypto'

// Builds wallet requests from RFC 8785 and node:crypto alone, independently of the service's code.

/** Order of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** Formats JSON by RFC 8785: members sorted by UTF-16 units, numbers as in ECMAScript. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.keys(value).sort()
  const of = value as Readonly<Record<string, unknown>>
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(of[name])}`).join(',')}}`
}

/** A P-256 key that authorizes requests. */
export class HandKey {
  readonly #private: KeyObject
  /** base64 of SPKI DER. */
  readonly public: string

  constructor() {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#private = privateKey
    const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
    this.public = spki.toString('base64')
  }

  sign(text: string, dsaEncoding: SignKeyObjectInput['dsaEncoding'] = 'der'): Buffer {
    return sign('sha256', Buffer.from(text), { key: this.#private, dsaEncoding })
  }
}

function derInteger(value: bigint): Buffer {
  const digits = value.toString(16)
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
  const isHigh = (bytes[0] as number) >= 0x80
  const content = isHigh ? Buffer.concat([Buffer.of(0), bytes]) : bytes
  return Buffer.concat([Buffer.of(0x02, content.length), content])
}

/** Returns the other valid signature of a text by the same key, with s replaced by the order minus s. */
export function otherSignature(key: HandKey, text: string): Buffer {
  const plain = key.sign(text, 'ieee-p1363')
  const r = BigInt(`0x${plain.toString('hex', 0, 32)}`)
  const s = BigInt(`0x${plain.toString('hex', 32)}`)
  const content = Buffer.concat([derInteger(r), derInteger(ORDER - s)])
  return Buffer.concat([Buffer.of(0x30, content.length), content])
}

export interface HandRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  /** Path with query. */
  readonly path: string
  /** The bytes sent. */
  readonly body: string
  /** Headers of the family, including the app id. */
  readonly headers: Readonly<Record<string, string>>
}

/** Returns the signed text of a request to a service at a base URL. */
export function payloadText(base: string, { method, path, body, headers }: HandRequest): string {
  return canonical({
    version: 1,
    method,
    url: `${base}${path}`,
    body: body === '' || body === '{}' ? '' : JSON.parse(body),
    headers,
  })
}
