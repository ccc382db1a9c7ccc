import { Option } from 'commander'
import { shownAddress } from '../../evm/chain-types/account-key.ts'
import { type KeyEntry, Keyring } from '../../wallet/keys/keyring.ts'
import { LIGHT_COST, type ScryptCost, STANDARD_COST } from '../../wallet/keys/keystore.ts'
import { chooseHome } from '../option/home-option.ts'

/** The keyring of the home that the flag names, or of the default one. */
export function keyringOf(flag: string | undefined): Keyring {
  return new Keyring(chooseHome(flag).keystore)
}

/** A key as commands print it in JSON. */
export function keyJson({ name, address, path }: KeyEntry): object {
  return { name, address: shownAddress(address), path }
}

/** The `--light-kdf` flag, as geth's. */
export function lightKdfOption(): Option {
  return new Option(
    '--light-kdf',
    'make the passphrase cheaper to check, and to try: 4 MB of memory in place of 256',
  )
}

export function costOf(lightKdf: true | undefined): ScryptCost {
  return lightKdf === undefined ? STANDARD_COST : LIGHT_COST
}

/** What a command says of a key that it has just put into the keyring. */
export function printKept(key: KeyEntry, json: true | undefined): void {
  const line =
    json === undefined ? `${key.name}  ${shownAddress(key.address)}` : JSON.stringify(keyJson(key))
  process.stdout.write(`${line}\n`)
}
