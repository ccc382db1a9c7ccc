import { Option } from 'commander'
import { checksumText } from '../../evm/chain-types/account-key.ts'
import { type KeyEntry, Keyring } from '../../wallet/keys/keyring.ts'
import { LIGHT_COST, type ScryptCost, STANDARD_COST } from '../../wallet/keys/keystore.ts'
import { chooseHome } from '../option/home-option.ts'

/** Returns the keyring of the home that the flag names, or of the default one. */
export function keyringOf(flag: string | undefined): Keyring {
  return new Keyring(chooseHome(flag).keystore)
}

/** Returns the JSON form of a key. */
export function keyJson({ name, address, path }: KeyEntry): object {
  return { name, address: checksumText(address), path }
}

/** Returns the `--light-kdf` flag, as in geth. */
export function lightKdfOption(): Option {
  return new Option(
    '--light-kdf',
    'use 4 MB of memory instead of 256 to check the passphrase; guessing it becomes cheaper too',
  )
}

export function scryptCostOf(lightKdf: true | undefined): ScryptCost {
  return lightKdf === undefined ? STANDARD_COST : LIGHT_COST
}

/** Prints the key that was just added to the keyring. */
export function printKept(key: KeyEntry, json: true | undefined): void {
  const line =
    json === undefined ? `${key.name}  ${checksumText(key.address)}` : JSON.stringify(keyJson(key))
  process.stdout.write(`${line}\n`)
}
