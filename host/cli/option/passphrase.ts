import { readFileSync } from 'node:fs'
import { Option } from 'commander'
import { PASSPHRASE_VARIABLE } from '../../base/config/environment.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { askHidden } from './hidden-prompt.ts'

/** The `--password-file` flag. Every user of the machine could see a passphrase passed as a flag. */
export function passwordFileOption(): Option {
  return new Option(
    '--password-file <FILE>',
    `file whose first line is the passphrase (default: ${PASSPHRASE_VARIABLE}, else a prompt)`,
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

/** Returns the passphrase of an existing key. */
export async function existingPassphrase(file: string | undefined, name: string): Promise<string> {
  return given(file) ?? (await askHidden(`Passphrase of ${name}: `))
}

/**
 * Returns the passphrase for a new key, which is typed twice. @throws INVALID_ARGUMENT if it is empty or the two
 * differ
 */
export async function newPassphrase(file: string | undefined, name: string): Promise<string> {
  const known = given(file)
  const passphrase = known ?? (await askHidden(`New passphrase of ${name}: `))
  if (passphrase === '') {
    throw new LockstepError('INVALID_ARGUMENT', 'the passphrase is empty', {
      hint: 'choose one: without it the file alone gives access to the key',
    })
  }
  if (known === undefined && (await askHidden('Repeat the passphrase: ')) !== passphrase) {
    throw new LockstepError('INVALID_ARGUMENT', 'the two passphrases differ', {
      hint: 'run it again and type the same passphrase twice',
    })
  }
  return passphrase
}
