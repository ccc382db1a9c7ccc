import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { APP_SECRET_VARIABLE } from '../../base/config/environment.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { readReadyFile } from '../client/ready-file.ts'
import { chooseHome, homeOption } from '../option/home-option.ts'

interface RegisterFlags {
  readonly home?: string
  readonly url?: string
  readonly appId: string
  readonly appSecretFile?: string
  readonly name?: string
  readonly json?: true
}

/** Every user of the machine could see a secret passed as a flag. */
function secretOf(file: string | undefined): string {
  if (file !== undefined) {
    try {
      return (readFileSync(file, 'utf8').split('\n')[0] as string).trim()
    } catch (cause) {
      throw new LockstepError('INVALID_ARGUMENT', `--app-secret-file: ${messageOf(cause)}`, {
        cause,
      })
    }
  }
  const secret = process.env[APP_SECRET_VARIABLE]
  if (secret !== undefined) return secret
  throw new LockstepError('INVALID_ARGUMENT', 'the secret of the app is missing', {
    hint: `pass --app-secret-file <file>, or set ${APP_SECRET_VARIABLE}`,
  })
}

/** Returns the URL of the running service. @throws NODE_UNREACHABLE */
function urlOf({ home, url }: RegisterFlags): string {
  const found = url ?? readReadyFile(chooseHome(home).running)?.wallets
  if (found !== undefined && found !== null) return found
  throw new LockstepError('NODE_UNREACHABLE', 'no node with wallets runs on this home', {
    hint: 'start it with --wallets.enable true, or pass --url',
  })
}

/** Returns the base64 of SPKI DER, as given or between the lines of PEM. */
function keyOf(text: string): string {
  return text.replace(/-----(?:BEGIN|END) PUBLIC KEY-----|\s/g, '')
}

async function register(publicKey: string, flags: RegisterFlags): Promise<string> {
  const url = urlOf(flags)
  const { appId, appSecretFile, name } = flags
  const credentials = Buffer.from(`${appId}:${secretOf(appSecretFile)}`).toString('base64')
  let response: Response
  try {
    response = await fetch(`${url}/v1/key_quorums`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${credentials}`,
        'wallet-app-id': appId,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        public_keys: [keyOf(publicKey)],
        authorization_threshold: 1,
        ...(name !== undefined && { display_name: name }),
      }),
    })
  } catch (cause) {
    throw new LockstepError('NODE_UNREACHABLE', `${url}: ${messageOf(cause)}`, { cause })
  }
  const answer = (await response.json()) as { readonly id?: string; readonly error?: string }
  if (response.ok && answer.id !== undefined) return answer.id
  throw new LockstepError('REFUSED_ARGUMENT', answer.error ?? `HTTP ${response.status}`)
}

export function defineKeyRegister(command: Command): void {
  command
    .argument('<public-key>', 'P-256 public key: base64 of SPKI DER, or PEM')
    .requiredOption('--app-id <ID>', 'the app that the key is for')
    .addOption(
      new Option(
        '--app-secret-file <FILE>',
        `file whose first line is the secret of the app (default: ${APP_SECRET_VARIABLE})`,
      ),
    )
    .option('--name <NAME>', 'display name of the key')
    .option('--url <URL>', 'the wallet service (default: that of the running node of the home)')
    .option('--json', 'print the registration as an object')
    .addOption(homeOption())
    .action(async (publicKey: string, flags: RegisterFlags) => {
      const id = await register(publicKey, flags)
      process.stdout.write(flags.json === true ? `${JSON.stringify({ id })}\n` : `${id}\n`)
    })
}
