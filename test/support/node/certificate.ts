import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A certificate with its key, both in PEM. */
export interface Issued {
  readonly name: string
  readonly certificate: string
  readonly key: string
  readonly privateKey: KeyObject
}

export interface CertificateOptions {
  /** Common name of its subject. */
  readonly name: string
  /** The signer, by default the certificate itself. */
  readonly issuer?: Issued
  /** True if it may sign others, by default if it is self-signed. */
  readonly isAuthority?: boolean
  readonly from?: Date
  readonly to?: Date
}

const DAY_MS = 86_400_000

// X.509 (RFC 5280) in DER (ITU-T X.690)

const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]
const COMMON_NAME = [0x55, 0x04, 0x03]
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11]
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13]

function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length]
  return Buffer.concat([Uint8Array.of(tag, ...size), body])
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const oid = (bytes: readonly number[]) => der(0x06, Uint8Array.from(bytes))
const text = (tag: number, value: string) => der(tag, Buffer.from(value))
const bits = (bytes: Uint8Array) => der(0x03, Uint8Array.of(0), bytes)
const TRUE = der(0x01, Uint8Array.of(0xff))

const time = (date: Date) => text(0x18, date.toISOString().replaceAll(/[-:T]|\.\d{3}/g, ''))
const named = (name: string) => sequence(der(0x31, sequence(oid(COMMON_NAME), text(0x0c, name))))
const extension = (id: readonly number[], value: Uint8Array, isCritical = false) =>
  sequence(oid(id), ...(isCritical ? [TRUE] : []), der(0x04, value))

function pem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

/** Returns a certificate for localhost and 127.0.0.1 with a new P-256 key. */
export function makeCertificate({ name, issuer, ...options }: CertificateOptions): Issued {
  const { isAuthority = issuer === undefined } = options
  const { from = new Date(Date.now() - DAY_MS), to = new Date(Date.now() + DAY_MS) } = options
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid(ECDSA_WITH_SHA256))
  const addresses = [text(0x82, 'localhost'), der(0x87, Uint8Array.of(127, 0, 0, 1))]
  const extensions = [extension(SUBJECT_ALT_NAME, sequence(...addresses))]
  if (isAuthority) extensions.push(extension(BASIC_CONSTRAINTS, sequence(TRUE), true))
  const content = sequence(
    der(0xa0, der(0x02, Uint8Array.of(2))),
    der(0x02, Uint8Array.of(1), randomBytes(8)),
    algorithm,
    named(issuer?.name ?? name),
    sequence(time(from), time(to)),
    named(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', content, issuer?.privateKey ?? privateKey)
  return {
    name,
    certificate: pem('CERTIFICATE', sequence(content, algorithm, bits(signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    privateKey,
  }
}
