import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { open } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { LockstepError, messageOf } from '../../base/error.ts'

/** Files of a certificate and its key, both in PEM. */
export interface KeyPairFiles {
  /** The server's own certificate, then those between it and a root that clients know. */
  readonly certificate: string
  readonly key: string
}

/** A certificate with its key, as the files had them. */
export interface KeyPair {
  readonly certificate: Buffer
  readonly key: Buffer
  /** What the certificate is for, as X.509 writes it. */
  readonly names: string
  readonly expires: Date
}

/** Permissions of everyone but the owner. */
const OTHERS = 0o077

function invalid(message: string, hint: string, cause?: unknown): LockstepError {
  return new LockstepError('CERTIFICATE_INVALID', message, { hint, cause })
}

/** @throws CERTIFICATE_INVALID where others than the owner can read or write the key. */
function refuseOpenMode(path: string, mode: number): void {
  // Windows has no such permissions: node makes them up.
  if (process.platform === 'win32' || (mode & OTHERS) === 0) return
  const shown = (mode & 0o777).toString(8).padStart(4, '0')
  throw invalid(
    `permissions ${shown} for ${path} are too open`,
    `run \`chmod 600 '${path.replaceAll("'", `'\\''`)}'\`; whoever can read the key can pass for this server`,
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
      `the ${what} cannot be read: ${messageOf(cause)}`,
      `write the ${what} in PEM to ${path}, or name the file that has it`,
      cause,
    )
  }
}

function parseCertificate(path: string, pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (cause) {
    throw invalid(
      `${path} has no certificate in PEM: ${messageOf(cause)}`,
      'write the certificate chain in PEM, the certificate of this server first',
      cause,
    )
  }
}

function parseKey(path: string, pem: Buffer): KeyObject {
  if (/^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(pem.toString('latin1'))) {
    throw invalid(
      `the key in ${path} is under a passphrase, which nobody would type when the node starts`,
      'write it without one, readable by the user of the node alone (chmod 600)',
    )
  }
  try {
    return createPrivateKey(pem)
  } catch {
    // The parser's own text may quote what it read.
    throw invalid(`${path} has no private key in PEM`, 'write the key of the certificate in PEM')
  }
}

/**
 * Reads a certificate and its key, and proves that they can be served.
 * @throws CERTIFICATE_INVALID with the file, what is wrong with it and what to do
 */
export async function readKeyPair(files: KeyPairFiles, now: Date = new Date()): Promise<KeyPair> {
  const certificate = await read(files.certificate, 'certificate', false)
  const key = await read(files.key, 'private key of the certificate', true)
  const parsed = parseCertificate(files.certificate, certificate)
  if (!parsed.checkPrivateKey(parseKey(files.key, key))) {
    throw invalid(
      `the key in ${files.key} is not that of the certificate in ${files.certificate}`,
      'write the key that the certificate was made for',
    )
  }
  const { validFromDate, validToDate } = parsed
  if (validToDate <= now) {
    throw invalid(
      `the certificate in ${files.certificate} expired at ${validToDate.toISOString()}`,
      'renew it: clients refuse it',
    )
  }
  if (validFromDate > now) {
    throw invalid(
      `the certificate in ${files.certificate} is valid from ${validFromDate.toISOString()} on, which is later than now`,
      'set the clock of this machine, or write a certificate that is valid now',
    )
  }
  try {
    createSecureContext({ cert: certificate, key, minVersion: MIN_VERSION })
  } catch (cause) {
    throw invalid(
      `the certificate in ${files.certificate} cannot be served: ${messageOf(cause)}`,
      'write a chain of certificates that OpenSSL takes, with keys that are not too short',
      cause,
    )
  }
  const names = parsed.subjectAltName ?? parsed.subject.replaceAll('\n', ', ')
  return { certificate, key, names, expires: validToDate }
}

/** The versions before are broken, and withdrawn (RFC 8996). */
export const MIN_VERSION = 'TLSv1.2'
