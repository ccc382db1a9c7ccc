import { Chacha20Poly1305 } from '@hpke/chacha20poly1305'
import { CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { formatBase64, parseBase64 } from '../../base/base64.ts'
import { type Hex, parseFixedData } from '../../base/hex.ts'
import type { EncryptedKey } from './inputs.ts'
import { WalletRequestError } from './wallet-request-error.ts'

/** RFC 9180, base mode, without info and associated data. */
function suite(): CipherSuite {
  return new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Chacha20Poly1305(),
  })
}

/** A one-time key pair that a private key is encrypted to for one export. */
export interface Recipient {
  /** SPKI DER in base64. */
  readonly publicKey: string
  /** Decrypts the response of `exportWallet`. @throws WalletRequestError if it was not encrypted to this recipient */
  open(encrypted: EncryptedKey): Promise<Hex>
}

export async function createRecipient(): Promise<Recipient> {
  const hpke = suite()
  const pair = await hpke.kem.generateKeyPair()
  const spki = await crypto.subtle.exportKey('spki', pair.publicKey)
  return {
    publicKey: formatBase64(new Uint8Array(spki)),
    open: async ({ encapsulatedKey, ciphertext }) => {
      let text: string
      try {
        const context = await hpke.createRecipientContext({
          recipientKey: pair.privateKey,
          enc: parseBase64(encapsulatedKey) as Uint8Array<ArrayBuffer>,
        })
        const opened = await context.open(parseBase64(ciphertext) as Uint8Array<ArrayBuffer>)
        text = new TextDecoder().decode(opened)
      } catch (cause) {
        const message = 'the exported key was not encrypted to this recipient'
        throw new WalletRequestError('unexpected_answer', message, { cause })
      }
      return text.startsWith('0x') ? (text as Hex) : `0x${text}`
    },
  }
}

/** Encrypts a private key (0x-hex or 32 bytes) to the service. `key` is the base64 of its 65-byte point. */
export async function encryptPrivateKey(
  privateKey: Hex | Uint8Array,
  key: string,
): Promise<Pick<EncryptedKey, 'encapsulatedKey' | 'ciphertext'>> {
  const bytes = typeof privateKey === 'string' ? secretOf(privateKey) : privateKey
  if (bytes.length !== 32) throw new TypeError(`a private key has 32 bytes, not ${bytes.length}`)
  const hpke = suite()
  const recipientPublicKey = await hpke.kem.deserializePublicKey(
    parseBase64(key) as Uint8Array<ArrayBuffer>,
  )
  const sender = await hpke.createSenderContext({ recipientPublicKey })
  const sealed = await sender.seal(bytes as Uint8Array<ArrayBuffer>)
  return {
    encapsulatedKey: formatBase64(new Uint8Array(sender.enc)),
    ciphertext: formatBase64(new Uint8Array(sealed)),
  }
}

function secretOf(privateKey: Hex): Uint8Array {
  try {
    return parseFixedData(privateKey, 32)
  } catch {
    // No `cause`: it would show the key.
    throw new TypeError('the private key is not 32 bytes: pass 0x and 64 hex digits')
  }
}
