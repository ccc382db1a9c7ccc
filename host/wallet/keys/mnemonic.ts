import { HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { LockstepError } from '../../base/error.ts'
import { type AccountKey, keyFromSecret } from '../../evm/chain-types/account-key.ts'

/** Entropy bits of a word, without its part of the checksum. */
const WORD_STRENGTH = 32 / 3

/** BIP-44 path of Ethereum accounts. The account index follows. */
const PATH = "m/44'/60'/0'/0"

/** Returns 12, 15, 18, 21 or 24 random English words of BIP-39. */
export function newMnemonic(words: 12 | 15 | 18 | 21 | 24 = 24): string {
  return generateMnemonic(wordlist, words * WORD_STRENGTH)
}

/**
 * Returns the account at m/44'/60'/0'/0/index, as wallets derive it from the words.
 * @throws INVALID_ARGUMENT if a word is unknown or the checksum is wrong. The message contains no word.
 */
export function keyFromMnemonic(words: string, index: number): AccountKey {
  return keyOf(parentOf(words, PATH), index)
}

/**
 * Returns the first `count` accounts of the words, below a BIP-32 path.
 * @throws INVALID_ARGUMENT as `keyFromMnemonic` does, also if an index of the path is 2^31 or above
 */
export function keysFromMnemonic(words: string, count: number, path = PATH): AccountKey[] {
  const parent = parentOf(words, path.replace(/\/$/, ''))
  return Array.from({ length: count }, (_, index) => keyOf(parent, index))
}

function parentOf(words: string, path: string): HDKey {
  const mnemonic = words.trim().toLowerCase().split(/\s+/).join(' ')
  if (!validateMnemonic(mnemonic, wordlist)) {
    const count = mnemonic === '' ? 0 : mnemonic.split(' ').length
    throw new LockstepError('INVALID_ARGUMENT', `the ${count} words are not a BIP-39 mnemonic`, {
      hint: 'give 12, 15, 18, 21 or 24 English words in order; the last contains a checksum',
    })
  }
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic))
  try {
    return root.derive(path)
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `the derivation path ${path} is invalid`, {
      hint: `write indexes below 2147483648, as in ${PATH}`,
      cause,
    })
  }
}

function keyOf(parent: HDKey, index: number): AccountKey {
  const { privateKey } = parent.deriveChild(index)
  if (privateKey === null) throw new Error('a private node has its key')
  return keyFromSecret(privateKey)
}
