import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { compareBytes, concatBytes, EMPTY_BYTES } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { type Ed25519Key, PUBLIC_KEY_LENGTH, verifySignature } from '../comet/ed25519.ts'
import { type ProtoFieldReaders, putBytes, putMessage, readProtoMessage } from '../comet/proto.ts'
import { ByteBuffer, type ByteStream } from './byte-stream.ts'
import { delimit, readDelimited } from './delimited.ts'
import { MerlinTranscript } from './merlin.ts'
import { decodePublicKey, encodePublicKey } from './public-key.ts'

// CometBFT's SecretConnection (`p2p/conn/secret_connection.go`), an authenticated key exchange after the STS protocol:
// X25519, then ChaCha20-Poly1305 frames of a fixed size. Each side signs a challenge of the transcript with its key.

const LENGTH_BYTES = 4
const DATA_BYTES = 1024
const TAG_BYTES = 16
const SEALED_BYTES = LENGTH_BYTES + DATA_BYTES + TAG_BYTES
const KEY_BYTES = 32
const CIPHER = 'chacha20-poly1305'

/** Largest message of the handshake. */
const HANDSHAKE_BYTES = 1024

/** SubjectPublicKeyInfo prefix of an X25519 public key (RFC 8410, section 4). */
const X25519_PREFIX = Buffer.from('302a300506032b656e032100', 'hex')

const INFO = 'TENDERMINT_SECRET_CONNECTION_KEY_AND_CHALLENGE_GEN'

function invalid(what: string): LockstepError {
  return new LockstepError('PEER_INVALID', `SecretConnection: ${what}`)
}

/** Encrypts in one direction, or decrypts in the other: one key, and a nonce that counts the frames. */
class FrameCipher {
  readonly #key: Uint8Array
  readonly #nonce = new Uint8Array(12)
  readonly #counter = new DataView(this.#nonce.buffer)
  #count = 0n

  constructor(key: Uint8Array) {
    this.#key = key
  }

  seal(data: Uint8Array): Uint8Array {
    const frame = new Uint8Array(LENGTH_BYTES + DATA_BYTES)
    new DataView(frame.buffer).setUint32(0, data.length, true)
    frame.set(data, LENGTH_BYTES)
    const cipher = createCipheriv(CIPHER, this.#key, this.#nonce, { authTagLength: TAG_BYTES })
    const sealed = concatBytes([cipher.update(frame), cipher.final()])
    this.#advance()
    return concatBytes([sealed, cipher.getAuthTag()])
  }

  /** @throws PEER_INVALID if the frame was changed, or is out of order */
  open(sealed: Uint8Array): Uint8Array {
    const cipher = createDecipheriv(CIPHER, this.#key, this.#nonce, { authTagLength: TAG_BYTES })
    cipher.setAuthTag(sealed.subarray(SEALED_BYTES - TAG_BYTES))
    let frame: Uint8Array
    try {
      const data = cipher.update(sealed.subarray(0, SEALED_BYTES - TAG_BYTES))
      frame = concatBytes([data, cipher.final()])
    } catch {
      throw invalid('a frame does not decrypt')
    }
    this.#advance()
    const length = new DataView(frame.buffer, frame.byteOffset).getUint32(0, true)
    if (length > DATA_BYTES) throw invalid(`a frame has ${length} bytes of data`)
    return frame.subarray(LENGTH_BYTES, LENGTH_BYTES + length)
  }

  #advance(): void {
    this.#count++
    this.#counter.setBigUint64(4, this.#count, true)
  }
}

function rawPublicKey(key: KeyObject): Uint8Array {
  return Uint8Array.from(Buffer.from(key.export({ format: 'jwk' }).x as string, 'base64url'))
}

/** @throws PEER_INVALID if the message does not decode */
function readHandshake(encoded: Uint8Array, fields: ProtoFieldReaders): void {
  try {
    readProtoMessage(encoded, fields)
  } catch {
    throw invalid('a message of the handshake does not decode')
  }
}

/** Sends the own ephemeral key, and returns the peer's: `BytesValue` of protobuf. */
async function exchangeEphemeral(stream: ByteStream, own: Uint8Array): Promise<Uint8Array> {
  const writer = new BinaryWriter()
  putBytes(writer, 1, own)
  stream.write(delimit(writer.finish()))
  let remote: Uint8Array = EMPTY_BYTES
  readHandshake(await readDelimited(stream, HANDSHAKE_BYTES), {
    1: (reader) => {
      remote = reader.bytes()
    },
  })
  if (remote.length !== KEY_BYTES) throw invalid(`an ephemeral key of ${remote.length} bytes`)
  return remote
}

/** @throws PEER_INVALID for a point of low order, which would make the secret known */
function sharedSecret(privateKey: KeyObject, remote: Uint8Array): Uint8Array {
  try {
    const key = Buffer.concat([X25519_PREFIX, remote])
    const publicKey = createPublicKey({ key, format: 'der', type: 'spki' })
    return diffieHellman({ privateKey, publicKey })
  } catch {
    throw invalid('the ephemeral key of the peer is a point of low order')
  }
}

/** Sends the own key with its signature of the challenge, and returns the peer's key after verifying its own. */
async function exchangeIdentity(
  stream: ByteStream,
  key: Ed25519Key,
  challenge: Uint8Array,
): Promise<Uint8Array> {
  const writer = new BinaryWriter()
  putMessage(writer, 1, encodePublicKey(key.publicKey))
  putBytes(writer, 2, sign(null, challenge, key.signer))
  stream.write(delimit(writer.finish()))
  let publicKey: Uint8Array | undefined
  let signature: Uint8Array = EMPTY_BYTES
  readHandshake(await readDelimited(stream, HANDSHAKE_BYTES), {
    1: (reader) => {
      publicKey = decodePublicKey(reader.bytes())
    },
    2: (reader) => {
      signature = reader.bytes()
    },
  })
  const isProven =
    publicKey?.length === PUBLIC_KEY_LENGTH && verifySignature(publicKey, challenge, signature)
  if (publicKey === undefined || !isProven) {
    throw invalid('the peer did not prove its key: the challenge has no valid signature')
  }
  return publicKey
}

export interface SecretConnection {
  readonly stream: ByteStream
  /** The peer's ed25519 key, which it has proven to have. */
  readonly remoteKey: Uint8Array
}

/**
 * Secures a connection; both sides call it at the same time.
 * @param key the own long-lived key
 * @throws PEER_INVALID
 */
export async function secureConnection(
  base: ByteStream,
  key: Ed25519Key,
): Promise<SecretConnection> {
  const ephemeral = generateKeyPairSync('x25519')
  const own = rawPublicKey(ephemeral.publicKey)
  const remote = await exchangeEphemeral(base, own)
  const isLower = compareBytes(own, remote) < 0
  const [lower, upper] = isLower ? [own, remote] : [remote, own]
  const secret = sharedSecret(ephemeral.privateKey, remote)
  const transcript = new MerlinTranscript('TENDERMINT_SECRET_CONNECTION_TRANSCRIPT_HASH')
  transcript.append('EPHEMERAL_LOWER_PUBLIC_KEY', lower)
  transcript.append('EPHEMERAL_UPPER_PUBLIC_KEY', upper)
  transcript.append('DH_SECRET', secret)
  const challenge = transcript.challenge('SECRET_CONNECTION_MAC', KEY_BYTES)
  const derived = new Uint8Array(hkdfSync('sha256', secret, EMPTY_BYTES, INFO, 2 * KEY_BYTES))
  const keys = [derived.subarray(0, KEY_BYTES), derived.subarray(KEY_BYTES)] as const
  const [receiving, sending] = isLower ? keys : [keys[1], keys[0]]
  const opener = new FrameCipher(receiving)
  const sealer = new FrameCipher(sending)
  const buffer = new ByteBuffer(async () => opener.open(await base.read(SEALED_BYTES)))
  const stream: ByteStream = {
    read: (length) => buffer.read(length),
    write: (bytes) => {
      for (let at = 0; at < bytes.length; at += DATA_BYTES) {
        base.write(sealer.seal(bytes.subarray(at, at + DATA_BYTES)))
      }
    },
    close: () => base.close(),
  }
  return { stream, remoteKey: await exchangeIdentity(stream, key, challenge) }
}
