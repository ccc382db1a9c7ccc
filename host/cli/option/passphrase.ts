import { readFileSync } from 'node:fs'
import { Option } from 'commander'
import { PASSPHRASE_VARIABLE } from '../../base/config/environment.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { askHidden } from './hidden-prompt.ts'

/** The `--password-file` flag. A passphrase in a flag of its own would be seen by everyone on the machine. */
export function passwordFileOption(): Option {
  return new Option(
    '--password-file <FILE>',
    `first line of the file is the passphrase (default: ${PASSPHRASE_VARIABLE}, else it is asked for)`,
  )
}

function fromFile(path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `--password-file: ${messageOf(cause)}`, { cause })
  }
  return (text.split('\n')[0] as string).replace(/\r$/, '')
}

function given(file: string | undefined): string | undefined {
  if (file !== undefined) return fromFile(file)
  const value = process.env[PASSPHRASE_VARIABLE]
  if (value !== undefined) return value
  if (process.stdin.isTTY) return undefined
  throw new LockstepError(
    'INVALID_ARGUMENT',
    'the key has a passphrase, and there is no terminal',
    {
      hint: `pass --password-file <file>, or set ${PASSPHRASE_VARIABLE}`,
    },
  )
}

/** The passphrase of a key that there is. */
export async function existingPassphrase(file: string | undefined, name: string): Promise<string> {
  return given(file) ?? (await askHidden(`Passphrase of ${name}: `))
}

/** A passphrase for a new key, which is typed twice. @throws INVALID_ARGUMENT where it is empty or the two differ */
export async function newPassphrase(file: string | undefined, name: string): Promise<string> {
  const known = given(file)
  const passphrase = known ?? (await askHidden(`New passphrase of ${name}: `))
  if (passphrase === '') {
    throw new LockstepError('INVALID_ARGUMENT', 'the passphrase is empty', {
      hint: 'choose one: whoever has the file would have the key',
    })
  }
  if (known === undefined && (await askHidden('The same again: ')) !== passphrase) {
    throw new LockstepError('INVALID_ARGUMENT', 'the two passphrases differ', {
      hint: 'run it again and type the same twice',
    })
  }
  return passphrase
}
