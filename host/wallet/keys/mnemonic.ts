import { HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { LockstepError } from '../../base/error.ts'
import { type AccountKey, keyFromSecret } from '../../evm/chain-types/account-key.ts'

/** Bits of 24 words. */
const STRENGTH = 256

/** Accounts of Ethereum by BIP-44; the account's index follows. */
const PATH = "m/44'/60'/0'/0"

/** 24 new English words of BIP-39. */
export function newMnemonic(): string {
  return generateMnemonic(wordlist, STRENGTH)
}

/**
 * The account of this index that wallets derive from the words, at m/44'/60'/0'/0/index.
 * @throws INVALID_ARGUMENT where a word is unknown or the checksum is wrong; the text holds no word.
 */
export function keyFromMnemonic(words: string, index: number): AccountKey {
  return keyOf(parentOf(words), index)
}

/** The first accounts of the words. @throws INVALID_ARGUMENT as `keyFromMnemonic` does */
export function keysFromMnemonic(words: string, count: number): AccountKey[] {
  const parent = parentOf(words)
  return Array.from({ length: count }, (_, index) => keyOf(parent, index))
}

function parentOf(words: string): HDKey {
  const mnemonic = words.trim().toLowerCase().split(/\s+/).join(' ')
  if (!validateMnemonic(mnemonic, wordlist)) {
    const count = mnemonic === '' ? 0 : mnemonic.split(' ').length
    throw new LockstepError('INVALID_ARGUMENT', `the ${count} words are no mnemonic of BIP-39`, {
      hint: 'give 12, 15, 18, 21 or 24 English words in their order; the last holds a checksum',
    })
  }
  return HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive(PATH)
}

function keyOf(parent: HDKey, index: number): AccountKey {
  const { privateKey } = parent.deriveChild(index)
  if (privateKey === null) throw new Error('a private node has its key')
  return keyFromSecret(privateKey)
}
