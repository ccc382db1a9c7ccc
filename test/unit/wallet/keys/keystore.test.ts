import { decryptKeystoreJson, encryptKeystoreJson } from 'ethers'
import { describe, expect, test } from 'vitest'
import { formatData } from '../../../../host/base/hex.ts'
import { checksumText, parseSecret } from '../../../../host/evm/chain-types/account-key.ts'
import {
  decryptKey,
  encryptKey,
  keystoreAddress,
  LIGHT_COST,
} from '../../../../host/wallet/keys/keystore.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'

const SECRET = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'

/** The test vectors of the Web3 secret storage definition. */
const PBKDF2 = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}
const SCRYPT = {
  ...PBKDF2,
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262144,
      r: 1,
      p: 8,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
}

describe('decryptKey', () => {
  test.each([
    ['PBKDF2', PBKDF2],
    ['scrypt', SCRYPT],
    // Older writers capitalize it.
    ['capitals', { ...PBKDF2, crypto: undefined, Crypto: PBKDF2.crypto }],
  ])('decrypts the published vector: %s', (_, document) => {
    const key = decryptKey(JSON.stringify(document), 'testpassword')
    expect(formatData(key.secret)).toBe(SECRET)
  })

  test('decrypts a keystore written by ethers', async () => {
    const account = { address: devAccount(1).address, privateKey: SECRET }
    const text = await encryptKeystoreJson(
      { ...account, address: checksumText(parseSecret(SECRET).address) },
      'naïve 密码',
      { scrypt: { N: 1024, r: 8, p: 1 } },
    )
    expect(formatData(decryptKey(text, 'naïve 密码').secret)).toBe(SECRET)
  })

  test("refuses a wrong passphrase with geth's message, which does not contain it", () => {
    expect(() => decryptKey(JSON.stringify(PBKDF2), 'wrong')).toThrow(
      expect.objectContaining({
        code: 'PASSPHRASE_WRONG',
        message: 'could not decrypt key with given password',
      }),
    )
  })

  const withCrypto = (members: object) =>
    JSON.stringify({ ...PBKDF2, crypto: { ...PBKDF2.crypto, ...members } })
  const withScrypt = (members: object) =>
    JSON.stringify({
      ...SCRYPT,
      crypto: { ...SCRYPT.crypto, kdfparams: { ...SCRYPT.crypto.kdfparams, ...members } },
    })

  test.each([
    ['secret words', 'the keystore is not JSON'],
    ['[]', 'the keystore has no members'],
    ['{"version":1}', 'the keystore has version 1, not 3'],
    ['{"version":3}', 'the keystore has no crypto'],
    [withCrypto({ cipher: 'aes-256-cbc' }), 'the keystore has cipher "aes-256-cbc"'],
    [withCrypto({ mac: 'ab' }), 'the keystore has a mac of 1 bytes, not 32'],
    [withCrypto({ ciphertext: 7 }), 'the keystore has no hex value ciphertext'],
    [withCrypto({ kdf: 'argon2' }), 'the keystore derives its key by "argon2"'],
    [
      withScrypt({ n: 1 << 30 }),
      'the keystore has n = 1073741824, not an integer from 2 to 4194304',
    ],
    [withScrypt({ n: 1000 }), 'the keystore has n = 1000, which is not a power of two'],
    [withScrypt({ p: 1e9 }), 'the keystore has p = 1000000000, not an integer from 1 to 64'],
  ])('refuses %s before it derives a key', (text, message) => {
    expect(() => decryptKey(text, 'testpassword')).toThrow(
      expect.objectContaining({
        code: 'KEYSTORE_INVALID',
        message,
      }),
    )
  })

  test('refuses a file whose address differs from that of its key', () => {
    const text = JSON.stringify({ ...PBKDF2, address: 'ab'.repeat(20) })
    expect(() => decryptKey(text, 'testpassword')).toThrow(
      expect.objectContaining({
        code: 'KEYSTORE_INVALID',
        message: `the keystore states ${'ab'.repeat(20)}, but its key has the address 0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b`,
      }),
    )
  })
})

test('encryptKey writes a keystore that ethers opens, with the address in plain text and without the key', async () => {
  const key = parseSecret(SECRET)
  const text = encryptKey(key, 'a passphrase', LIGHT_COST)
  expect(text).not.toContain(SECRET.slice(2))
  expect(keystoreAddress(text)).toEqual(key.address)
  const opened = await decryptKeystoreJson(text, 'a passphrase')
  expect(opened).toEqual({ address: checksumText(key.address), privateKey: SECRET })
  expect(JSON.parse(text)).toMatchObject({
    version: 3,
    crypto: { kdfparams: { n: 4096, r: 8, p: 6 } },
  })
})
