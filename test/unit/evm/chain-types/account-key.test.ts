import { describe, expect, test } from 'vitest'
import { DEV_ACCOUNTS, DEV_MNEMONIC } from '../../../../host/base/dev-accounts.ts'
import { formatData, parseData } from '../../../../host/base/hex.ts'
import {
  checksumText,
  parseSecret,
  randomKey,
  signMessage,
  signWithKey,
} from '../../../../host/evm/chain-types/account-key.ts'
import type { UnsignedTransaction } from '../../../../host/evm/chain-types/transaction-codec.ts'
import { keyFromMnemonic, newMnemonic } from '../../../../host/wallet/keys/mnemonic.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'

describe('a key', () => {
  test.each(['', 'hello', 'x'.repeat(1000)])('signs the message %j as viem does', async (text) => {
    const message = new TextEncoder().encode(text)
    const signature = signMessage(message, parseSecret(DEV_ACCOUNTS[3]?.privateKey ?? ''))
    expect(formatData(signature)).toBe(await devAccount(3).signMessage({ message: text }))
  })

  test.each(DEV_ACCOUNTS)(
    'of $address has the digits that it was parsed from',
    ({ address, privateKey }) => {
      expect(checksumText(parseSecret(privateKey).address)).toBe(address)
      expect(checksumText(parseSecret(` ${privateKey.slice(2).toUpperCase()}\n`).address)).toBe(
        address,
      )
    },
  )

  test.each([
    '00'.repeat(32),
    'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141',
    'ab'.repeat(31),
    `${'ab'.repeat(31)}zz`,
    '',
  ])('is refused without quoting it: %s', (text) => {
    const parse = () => parseSecret(text)
    expect(parse).toThrow(/^the private key is not/)
    if (text !== '') expect(parse).not.toThrow(new RegExp(text))
  })

  test('is different each time it is generated', () => {
    expect(randomKey().secret).not.toEqual(randomKey().secret)
  })
})

describe('a mnemonic', () => {
  test.each(DEV_ACCOUNTS.map(({ address }, index) => [index, address] as const))(
    'derives account %i as other wallets do',
    (index, address) => {
      const key = keyFromMnemonic(`  ${DEV_MNEMONIC.replaceAll(' ', '\n ').toUpperCase()}\n`, index)
      expect(checksumText(key.address)).toBe(address)
    },
  )

  test('is valid and has 24 words when it is generated', () => {
    const words = newMnemonic()
    expect(words.split(' ')).toHaveLength(24)
    expect(keyFromMnemonic(words, 0).address).toHaveLength(20)
    expect(newMnemonic()).not.toBe(words)
  })

  test('is refused without quoting it if its checksum is invalid', () => {
    const words = DEV_MNEMONIC.replace('junk', 'test')
    expect(() => keyFromMnemonic(words, 0)).toThrow('the 12 words are not a BIP-39 mnemonic')
    expect(() => keyFromMnemonic('', 0)).toThrow('the 0 words are not a BIP-39 mnemonic')
  })
})

describe('signTransaction', () => {
  const common: Omit<UnsignedTransaction, 'type'> = {
    chainId: 1329n,
    nonce: 7n,
    maxFeePerGas: 50_000_000_000n,
    maxPriorityFeePerGas: 50_000_000_000n,
    gas: 21_000n,
    to: parseData(`0x${'ab'.repeat(20)}`),
    value: 10n ** 18n,
    data: parseData('0xc0ffee'),
    accessList: [],
    authorizations: [],
    maxFeePerBlobGas: 0n,
    blobHashes: [],
  }
  const viemFields = {
    chainId: 1329,
    nonce: 7,
    gas: 21_000n,
    to: `0x${'ab'.repeat(20)}`,
    value: 10n ** 18n,
    data: '0xc0ffee',
  } as const
  const account = devAccount(3)
  const key = parseSecret(DEV_ACCOUNTS[3]?.privateKey as string)

  test('returns the bytes that viem returns for a dynamic fee transaction', async () => {
    const fields = { ...viemFields, type: 'eip1559', maxFeePerGas: 50_000_000_000n } as const
    const raw = await account.signTransaction({ ...fields, maxPriorityFeePerGas: 50_000_000_000n })
    expect(formatData(signWithKey({ ...common, type: 2 }, key))).toBe(raw)
  })

  test('returns the bytes that viem returns for a legacy transaction', async () => {
    const fields = { ...viemFields, type: 'legacy', gasPrice: 50_000_000_000n } as const
    const raw = await account.signTransaction(fields)
    expect(formatData(signWithKey({ ...common, type: 0 }, key))).toBe(raw)
  })
})
