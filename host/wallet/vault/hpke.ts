import { webcrypto } from 'node:crypto'
import { Chacha20Poly1305 } from '@hpke/chacha20poly1305'
import { CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { WalletError } from '../protocol/wallet-error.ts'

/** RFC 9180, base mode, without info and associated data. */
function suite(): CipherSuite {
  return new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Chacha20Poly1305(),
  })
}

/** An HPKE message, in base64. */
export interface HpkeMessage {
  readonly encapsulatedKey: string
  readonly ciphertext: string
}

const P256 = { name: 'ECDH', namedCurve: 'P-256' } as const

/**
 * @param publicKey P-256, SPKI DER in base64
 * @throws WalletError if the key is invalid
 */
export async function encryptTo(publicKey: string, plaintext: Uint8Array): Promise<HpkeMessage> {
  const hpke = suite()
  let recipientPublicKey: CryptoKey
  try {
    const spki = Buffer.from(publicKey, 'base64')
    recipientPublicKey = await webcrypto.subtle.importKey('spki', spki, P256, true, [])
  } catch {
    throw new WalletError(
      'invalid_data',
      'recipient_public_key is not a P-256 public key: pass base64 of its SPKI in DER',
    )
  }
  const sender = await hpke.createSenderContext({ recipientPublicKey })
  const sealed = await sender.seal(plaintext as Uint8Array<ArrayBuffer>)
  return {
    encapsulatedKey: Buffer.from(sender.enc).toString('base64'),
    ciphertext: Buffer.from(sealed).toString('base64'),
  }
}

/** A key that imported private keys are encrypted to. */
export interface ImportKey {
  /** The 65-byte point in base64. */
  readonly publicKey: string
  /** Returns the plaintext, which the caller must zero. @throws WalletError if it was not encrypted to this key */
  open(message: HpkeMessage): Promise<Uint8Array>
}

export async function createImportKey(): Promise<ImportKey> {
  const hpke = suite()
  const pair = await hpke.kem.generateKeyPair()
  const point = await hpke.kem.serializePublicKey(pair.publicKey)
  return {
    publicKey: Buffer.from(point).toString('base64'),
    open: async ({ encapsulatedKey, ciphertext }) => {
      try {
        const recipient = await hpke.createRecipientContext({
          recipientKey: pair.privateKey,
          enc: Uint8Array.from(Buffer.from(encapsulatedKey, 'base64')),
        })
        const opened = await recipient.open(Uint8Array.from(Buffer.from(ciphertext, 'base64')))
        return new Uint8Array(opened)
      } catch {
        throw new WalletError(
          'invalid_data',
          'the private key was not encrypted to this import: call /v1/wallets/import/init for another key',
        )
      }
    },
  }
}
