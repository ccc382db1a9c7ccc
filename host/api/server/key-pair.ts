import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { open } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { LockstepError, messageOf } from '../../base/error.ts'

/** Paths of a certificate and its key, both PEM. */
export interface KeyPairFiles {
  /** The server's own certificate, then the intermediate certificates. */
  readonly certificate: string
  readonly key: string
}

/** The contents of a certificate file and its key file. */
export interface KeyPair {
  readonly certificate: Buffer
  readonly key: Buffer
  /** The subject names of the certificate in X.509 notation. */
  readonly names: string
  readonly expires: Date
}

/** Permission bits of everyone but the owner. */
const OTHERS = 0o077

function invalid(message: string, hint: string, cause?: unknown): LockstepError {
  return new LockstepError('CERTIFICATE_INVALID', message, { hint, cause })
}

/** @throws CERTIFICATE_INVALID if users other than the owner can read or write the key. */
function refuseOpenMode(path: string, mode: number): void {
  // Windows has no such permissions: Node makes them up.
  if (process.platform === 'win32' || (mode & OTHERS) === 0) return
  const shown = (mode & 0o777).toString(8).padStart(4, '0')
  throw invalid(
    `permissions ${shown} for ${path} are too open`,
    `run \`chmod 600 '${path.replaceAll("'", `'\\''`)}'\`; anyone who can read the key can impersonate this server`,
  )
}

async function read(path: string, what: string, isSecret: boolean): Promise<Buffer> {
  try {
    const file = await open(path, 'r')
    try {
      if (isSecret) refuseOpenMode(path, (await file.stat()).mode)
      return await file.readFile()
    } finally {
      await file.close()
    }
  } catch (cause) {
    if (cause instanceof LockstepError) throw cause
    throw invalid(
      `cannot read the ${what}: ${messageOf(cause)}`,
      `write the ${what} in PEM to ${path}, or set the path of the file that contains it`,
      cause,
    )
  }
}

function parseCertificate(path: string, pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (cause) {
    throw invalid(
      `${path} contains no PEM certificate: ${messageOf(cause)}`,
      'write the certificate chain in PEM, with the certificate of this server first',
      cause,
    )
  }
}

function parseKey(path: string, pem: Buffer): KeyObject {
  if (/^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(pem.toString('latin1'))) {
    throw invalid(
      `the key in ${path} is protected by a passphrase, which cannot be entered when the node starts`,
      'write it without a passphrase, readable only by the user of the node (chmod 600)',
    )
  }
  try {
    return createPrivateKey(pem)
  } catch {
    // The parser's message may quote what it read.
    throw invalid(
      `${path} contains no PEM private key`,
      'write the private key of the certificate in PEM',
    )
  }
}

/**
 * Reads a certificate and its key, and verifies that a server can use them.
 * @throws CERTIFICATE_INVALID with the file, the fault and the remedy
 */
export async function readKeyPair(files: KeyPairFiles, now: Date = new Date()): Promise<KeyPair> {
  const certificate = await read(files.certificate, 'certificate', false)
  const key = await read(files.key, 'private key of the certificate', true)
  const parsed = parseCertificate(files.certificate, certificate)
  if (!parsed.checkPrivateKey(parseKey(files.key, key))) {
    throw invalid(
      `the key in ${files.key} does not match the certificate in ${files.certificate}`,
      'write the key for which the certificate was issued',
    )
  }
  const { validFromDate, validToDate } = parsed
  if (validToDate <= now) {
    throw invalid(
      `the certificate in ${files.certificate} expired at ${validToDate.toISOString()}`,
      'renew it: clients reject an expired certificate',
    )
  }
  if (validFromDate > now) {
    throw invalid(
      `the certificate in ${files.certificate} is not valid before ${validFromDate.toISOString()}`,
      'correct the clock of this machine, or write a certificate that is valid now',
    )
  }
  try {
    createSecureContext({ cert: certificate, key, minVersion: MIN_VERSION })
  } catch (cause) {
    throw invalid(
      `the certificate in ${files.certificate} cannot be used: ${messageOf(cause)}`,
      'write a certificate chain that OpenSSL accepts, with keys of sufficient length',
      cause,
    )
  }
  const names = parsed.subjectAltName ?? parsed.subject.replaceAll('\n', ', ')
  return { certificate, key, names, expires: validToDate }
}

/** Earlier versions are insecure and deprecated (RFC 8996). */
export const MIN_VERSION = 'TLSv1.2'
