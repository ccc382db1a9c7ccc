import { HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { LockstepError } from '../../base/error.ts'
import { type AccountKey, keyFromSecret } from '../../evm/chain-types/account-key.ts'

/** Entropy bits of 24 words. */
const STRENGTH = 256

/** BIP-44 path of Ethereum accounts. The account index follows. */
const PATH = "m/44'/60'/0'/0"

/** Returns 24 random English words of BIP-39. */
export function newMnemonic(): string {
  return generateMnemonic(wordlist, STRENGTH)
}

/**
 * Returns the account at m/44'/60'/0'/0/index, as wallets derive it from the words.
 * @throws INVALID_ARGUMENT if a word is unknown or the checksum is wrong. The message contains no word.
 */
export function keyFromMnemonic(words: string, index: number): AccountKey {
  return keyOf(parentOf(words), index)
}

/** Returns the first `count` accounts of the words. @throws INVALID_ARGUMENT as `keyFromMnemonic` does */
export function keysFromMnemonic(words: string, count: number): AccountKey[] {
  const parent = parentOf(words)
  return Array.from({ length: count }, (_, index) => keyOf(parent, index))
}

function parentOf(words: string): HDKey {
  const mnemonic = words.trim().toLowerCase().split(/\s+/).join(' ')
  if (!validateMnemonic(mnemonic, wordlist)) {
    const count = mnemonic === '' ? 0 : mnemonic.split(' ').length
    throw new LockstepError('INVALID_ARGUMENT', `the ${count} words are not a BIP-39 mnemonic`, {
      hint: 'give 12, 15, 18, 21 or 24 English words in order; the last contains a checksum',
    })
  }
  return HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive(PATH)
}

function keyOf(parent: HDKey, index: number): AccountKey {
  const { privateKey } = parent.deriveChild(index)
  if (privateKey === null) throw new Error('a private node has its key')
  return keyFromSecret(privateKey)
}
