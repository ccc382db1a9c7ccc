import type { Command } from 'commander'
import { readValidatorKey } from '../chain/consensus/validator/key-file.ts'
import { chooseHome, homeOption } from './option/home-option.ts'

export function defineShowValidator(command: Command): void {
  command.addOption(homeOption()).action(async (flags: { readonly home?: string }) => {
    const key = await readValidatorKey(chooseHome(flags.home).config.validatorKey)
    const shown = {
      '@type': '/cosmos.crypto.ed25519.PubKey',
      key: Buffer.from(key.publicKey).toString('base64'),
    }
    process.stdout.write(`${JSON.stringify(shown)}\n`)
  })
}
