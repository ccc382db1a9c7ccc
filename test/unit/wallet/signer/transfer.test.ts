import { generateKeyPairSync, webcrypto } from 'node:crypto'
import { Chacha20Poly1305 } from '@hpke/chacha20poly1305'
import { CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { type Hex, recoverMessageAddress, toBytes } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAuthorizationKey } from '../../../support/wallet/authorization-key.ts'
import { type Ask, startSigner, type TestSigner } from '../../../support/wallet/signer-socket.ts'

const suite = () =>
  new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Chacha20Poly1305(),
  })

const owner = newAuthorizationKey()
let signer: TestSigner

beforeAll(async () => {
  signer = await startSigner()
})
afterAll(() => signer.close())

const bytes = (text: unknown) => Uint8Array.from(Buffer.from(text as string, 'base64'))

async function imported(secret: Hex, members: object = {}, plaintext = toBytes(secret)) {
  const { address } = privateKeyToAccount(secret)
  const about = {
    address,
    chain_type: 'ethereum',
    entropy_type: 'private-key',
    encryption_type: 'HPKE',
  }
  const begun = await signer.ask({ path: '/v1/wallets/import/init', body: about })
  const hpke = suite()
  const recipientPublicKey = await hpke.kem.deserializePublicKey(
    bytes(begun.encryption_public_key).buffer,
  )
  const sender = await hpke.createSenderContext({ recipientPublicKey })
  const ciphertext = Buffer.from(await sender.seal(plaintext.slice().buffer)).toString('base64')
  const encapsulated_key = Buffer.from(sender.enc).toString('base64')
  const submit: Ask = {
    path: '/v1/wallets/import/submit',
    body: { wallet: { ...about, encapsulated_key, ciphertext }, ...members },
  }
  return { submit, address, wallet: () => signer.ask(submit) }
}

const codeOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'done',
    ({ code }) => code,
  )

test('a key is imported encrypted, signs, and is exported encrypted to the recipient that its owner names', async () => {
  const secret = generatePrivateKey()
  const owned = { owner: { public_key: owner.publicKey } }
  const { wallet, address, submit } = await imported(secret, owned)
  const made = await wallet()
  expect(made).toMatchObject({ address, imported_at: expect.any(Number), exported_at: null })
  expect(await codeOf(signer.ask(submit))).toBe('invalid_data')

  const rpc = { path: `/v1/wallets/${made.id}/rpc`, keys: [owner] }
  const body = { method: 'personal_sign', params: { message: 'hello' } }
  const { signed } = await signer.sign({ ...rpc, body })
  if (signed.kind !== 'signature') throw new Error(signed.kind)
  expect(await recoverMessageAddress({ message: 'hello', ...signed })).toBe(address)

  const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const recipient_public_key = pair.publicKey
    .export({ format: 'der', type: 'spki' })
    .toString('base64')
  const exported: Ask = {
    path: `/v1/wallets/${made.id}/export`,
    body: { encryption_type: 'HPKE', recipient_public_key },
  }
  expect(await codeOf(signer.ask(exported))).toBe('missing_or_empty_authorization_header')
  const answer = await signer.ask({ ...exported, keys: [owner] })
  const recipientKey = await webcrypto.subtle.importKey(
    'pkcs8',
    pair.privateKey.export({ format: 'der', type: 'pkcs8' }),
    { name: 'ECDH', namedCurve: 'P-256' },
    true,
    ['deriveBits'],
  )
  const recipient = await suite().createRecipientContext({
    recipientKey,
    enc: bytes(answer.encapsulated_key).buffer,
  })
  const text = Buffer.from(await recipient.open(bytes(answer.ciphertext).buffer)).toString()
  expect(text).toBe(secret.slice(2))
  expect(await signer.ask({ method: 'GET', path: `/v1/wallets/${made.id}` })).toMatchObject({
    exported_at: expect.any(Number),
  })
  const kinds = signer.audited().map(({ kind }) => kind)
  expect(kinds).toEqual(
    expect.arrayContaining(['wallet.imported', 'wallet.signed', 'wallet.exported']),
  )
  const trace = JSON.stringify([signer.audited(), signer.logged])
  expect(trace).not.toContain(secret.slice(2))
})

test('a key is refused if it is of another account, invalid, or not encrypted to the signer', async () => {
  const other = await imported(generatePrivateKey(), {}, toBytes(generatePrivateKey()))
  expect(await codeOf(other.wallet())).toBe('invalid_data')
  const none = await imported(generatePrivateKey(), {}, new Uint8Array(32))
  expect(await codeOf(none.wallet())).toBe('invalid_data')
  const short = await imported(generatePrivateKey(), {}, new Uint8Array(31).fill(1))
  expect(await codeOf(short.wallet())).toBe('invalid_data')
  const { submit } = await imported(generatePrivateKey())
  const body = structuredClone(submit.body) as { wallet: { ciphertext: string } }
  body.wallet.ciphertext = Buffer.alloc(48, 7).toString('base64')
  expect(await codeOf(signer.ask({ ...submit, body }))).toBe('invalid_data')
  expect(await codeOf(signer.ask({ ...submit, app: 'app-2' }))).toBe('invalid_data')
  expect(await codeOf(signer.ask(submit))).toBe('done')
})

test('a key is not exported unless a rule of the wallet allows it', async () => {
  const rules = [{ name: 'messages', method: 'personal_sign', action: 'ALLOW', conditions: [] }]
  const policy = await signer.ask({
    path: '/v1/policies',
    body: { version: '1.0', name: 'messages', chain_type: 'ethereum', rules },
  })
  const { wallet } = await imported(generatePrivateKey(), { policy_ids: [policy.id] })
  const { id } = await wallet()
  const body = { encryption_type: 'HPKE', recipient_public_key: owner.publicKey }
  expect(await codeOf(signer.ask({ path: `/v1/wallets/${id}/export`, body }))).toBe(
    'policy_violation',
  )
  expect(signer.audited().at(-1)).toMatchObject({ kind: 'wallet.export_refused', subject: id })
})
