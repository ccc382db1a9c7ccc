import { Chacha20Poly1305 } from '@hpke/chacha20poly1305'
import { CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectWallets, createRecipient } from '../../../../host/entry/wallet.ts'
import { type ScriptedService, startScriptedService } from './scripted-service.ts'

const KEY = `0x${'7b'.repeat(32)}` as const
const ADDRESS = `0x${'01'.repeat(20)}` as const

const suite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Chacha20Poly1305(),
})
const base64 = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('base64')

let service: ScriptedService
beforeAll(async () => {
  service = await startScriptedService()
})
afterAll(() => service.close())

const connect = () => connectWallets({ url: service.url, appId: 'a', appSecret: 's' })

test.each(['', '0x'])(
  'the wallet client opens an exported key, written with "%s" before it',
  async (prefix) => {
    const recipient = await createRecipient()
    const der = Buffer.from(recipient.publicKey, 'base64')
    // SPKI of P-256 ends with the point.
    const recipientPublicKey = await suite.kem.deserializePublicKey(
      new Uint8Array(der.subarray(-65)),
    )
    const sender = await suite.createSenderContext({ recipientPublicKey })
    const sealed = await sender.seal(new TextEncoder().encode(`${prefix}${KEY.slice(2)}`))
    const encrypted = {
      encryptionType: 'HPKE',
      encapsulatedKey: base64(sender.enc),
      ciphertext: base64(sealed),
    } as const
    expect(await recipient.open(encrypted)).toBe(KEY)
    const other = await createRecipient()
    await expect(other.open(encrypted)).rejects.toThrow(/was not encrypted to this recipient/)
  },
)

test('the wallet client imports a private key that only the signer can read', async () => {
  const pair = await suite.kem.generateKeyPair()
  const point = await suite.kem.serializePublicKey(pair.publicKey)
  service.answers = [
    { body: { encryption_type: 'HPKE', encryption_public_key: base64(point), import_id: 'i1' } },
    { body: { id: 'w1' } },
  ]
  await connect().importPrivateKey({ privateKey: KEY, address: ADDRESS, policyIds: ['p1'] })
  const { wallet, ...settings } = service.received.at(-1)?.body ?? {}
  expect(settings).toEqual({ policy_ids: ['p1'] })
  expect(wallet).toMatchObject({ address: ADDRESS, entropy_type: 'private-key', import_id: 'i1' })
  const recipient = await suite.createRecipientContext({
    recipientKey: pair.privateKey,
    enc: Uint8Array.from(Buffer.from(wallet.encapsulated_key, 'base64')),
  })
  const opened = await recipient.open(Uint8Array.from(Buffer.from(wallet.ciphertext, 'base64')))
  expect(`0x${Buffer.from(opened).toString('hex')}`).toBe(KEY)
  expect(JSON.stringify(service.received)).not.toContain(KEY.slice(2))
})

test('an invalid private key is neither sent nor shown', async () => {
  service.answers = [{ body: { encryption_public_key: '' } }]
  const secret = `0x${'zz'.repeat(32)}` as const
  const failed = await connect()
    .importPrivateKey({ privateKey: secret, address: ADDRESS })
    .catch((error: Error) => error)
  expect(failed).toMatchObject({ message: expect.stringMatching(/is not 32 bytes/) })
  expect(String((failed as Error).stack)).not.toContain('zz')
})
