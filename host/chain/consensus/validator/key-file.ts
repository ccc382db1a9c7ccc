import { open, readFile } from 'node:fs/promises'
import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import { type Ed25519Key, keyFromSeed, PUBLIC_KEY_LENGTH, SEED_LENGTH } from '../comet/ed25519.ts'
import { cometAddress } from '../comet/validator-set.ts'
import { writeFileAtomic } from './atomic-file.ts'

// Reads and writes CometBFT's `priv_validator_key.json` and `node_key.json`.

export const PUBLIC_KEY_TYPE = 'tendermint/PubKeyEd25519'
const PRIVATE_KEY_TYPE = 'tendermint/PrivKeyEd25519'

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function privateKeyJson(key: Ed25519Key): object {
  return { type: PRIVATE_KEY_TYPE, value: base64(key.secret) }
}

/** Returns the key in a key file's JSON, or what is wrong with it, in words that never contain the secret. */
function parsePrivateKey(text: string): Ed25519Key | string {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return 'it is not JSON'
  }
  const key = (document as { priv_key?: { type?: unknown; value?: unknown } } | null)?.priv_key
  if (key?.type !== PRIVATE_KEY_TYPE) return `priv_key.type is not ${PRIVATE_KEY_TYPE}`
  if (typeof key.value !== 'string') return 'priv_key.value is not a string'
  const secret = Buffer.from(key.value, 'base64')
  if (secret.length !== SEED_LENGTH + PUBLIC_KEY_LENGTH) return 'priv_key.value is not 64 bytes'
  const pair = keyFromSeed(secret.subarray(0, SEED_LENGTH))
  if (!equalBytes(pair.publicKey, secret.subarray(SEED_LENGTH))) {
    return 'the public half of priv_key.value does not belong to its seed'
  }
  return pair
}

/** Permission bits of group and others. */
const OTHERS = 0o077

/** @throws VALIDATOR_KEY if others than the owner can read or write the file, as ssh does */
function refuseOpenMode(path: string, mode: number): void {
  // Windows has no such permissions, and node reports made-up ones.
  if (process.platform === 'win32' || (mode & OTHERS) === 0) return
  const shown = (mode & 0o777).toString(8).padStart(4, '0')
  throw new LockstepError('VALIDATOR_KEY', `permissions ${shown} for ${path} are too open`, {
    hint: `run \`chmod 600 '${path.replaceAll("'", `'\\''`)}'\`; anyone who could read the key can sign with it`,
  })
}

/** Returns the text of a file that contains a secret. */
async function readSecret(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    refuseOpenMode(path, (await file.stat()).mode)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

async function readKey(path: string, missing: string, kind: string): Promise<Ed25519Key> {
  let text: string
  try {
    text = await readSecret(path)
  } catch (cause) {
    if (cause instanceof LockstepError) throw cause
    throw new LockstepError('VALIDATOR_KEY', `${missing}: ${messageOf(cause)}`, {
      hint: `restore the key or fix permissions at ${path}`,
      cause,
    })
  }
  const key = parsePrivateKey(text)
  if (typeof key === 'string') {
    throw new LockstepError('VALIDATOR_KEY', `invalid ${kind} file ${path}: ${key}`, {
      hint: `restore the key at ${path} from a backup`,
    })
  }
  return key
}

/** @throws VALIDATOR_KEY if the file is missing, unreadable, open to others or not an ed25519 key */
export function readValidatorKey(path: string): Promise<Ed25519Key> {
  return readKey(path, 'Private validator file not found', 'private validator')
}

/**
 * Returns the public key of a validator's key file, to identify the validator. Undefined if the file is missing or
 * unreadable: it could not sign either.
 */
export async function readValidatorPublicKey(path: string): Promise<Uint8Array | undefined> {
  try {
    const document = JSON.parse(await readFile(path, 'utf8'))
    const publicKey = Uint8Array.from(Buffer.from(document.pub_key.value, 'base64'))
    return publicKey.length === PUBLIC_KEY_LENGTH ? publicKey : undefined
  } catch {
    return undefined
  }
}

export async function writeValidatorKey(path: string, key: Ed25519Key): Promise<void> {
  const document = {
    address: hexDigits(cometAddress(key.publicKey)).toUpperCase(),
    pub_key: { type: PUBLIC_KEY_TYPE, value: base64(key.publicKey) },
    priv_key: privateKeyJson(key),
  }
  await writeFileAtomic(path, `${JSON.stringify(document, null, 2)}\n`)
}

/** @throws VALIDATOR_KEY if the file is missing, unreadable, open to others or not an ed25519 key */
export function readNodeKey(path: string): Promise<Ed25519Key> {
  return readKey(path, 'Node key file not found', 'node key')
}

export async function writeNodeKey(path: string, key: Ed25519Key): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify({ priv_key: privateKeyJson(key) }, null, 2)}\n`)
}

/** Returns the id of a node on the peer-to-peer network: its key's address, 40 hex digits. */
export function nodeIdOf(key: Ed25519Key): string {
  return hexDigits(cometAddress(key.publicKey))
}
