import { LockstepError } from '../error.ts'
import { nearestName } from './nearest-name.ts'
import { CONFIG_ENTRIES } from './schema.ts'

/** Prefix of the environment variables of Lockstep. */
const PREFIX = 'LOCKSTEP_'

/** Passphrase of the keyring, for scripts. */
export const PASSPHRASE_VARIABLE = 'LOCKSTEP_KEYS_PASSWORD'

/** Secret of an app of the wallets, for scripts. */
export const APP_SECRET_VARIABLE = 'LOCKSTEP_WALLET_APP_SECRET'

/** Variables that are no configuration keys, with what they are for. */
export const OTHER_VARIABLES = {
  LOCKSTEP_HOME: 'folder of the node where `--home` names none',
  [PASSPHRASE_VARIABLE]: 'passphrase of the keyring where `--password-file` names none',
  [APP_SECRET_VARIABLE]: 'secret of an app of the wallets where `--app-secret-file` names none',
  LOCKSTEP_VECTORS: 'tests: folder of the published vectors',
  LOCKSTEP_SEED: 'tests: seed of what is drawn at random, as a failed run prints it',
  LOCKSTEP_FUZZ_CASES: 'tests: number of generated cases of modexp',
  LOCKSTEP_GETH: 'tests: path of a geth to compare with',
  LOCKSTEP_COMETBFT: 'tests: path of a cometbft 0.38 to compare with',
  LOCKSTEP_CHROMIUM: 'tests: path of the Chromium to drive; empty for none',
  LOCKSTEP_FIREFOX: 'tests: path of the Firefox to drive; empty for none',
  LOCKSTEP_PYTHON:
    'tests: path of a Python that has the packages of bench/peers/python.txt: it drives the component and the wallets',
  LOCKSTEP_PYTHON_CLIENTS:
    'tests: path of a Python that has the packages of bench/peers/python-clients.txt: payers and agents',
  LOCKSTEP_CARGO: 'tests: path of a cargo that builds the program which drives the component',
  LOCKSTEP_TEST_CLOCK:
    'tests: path of a file with the seconds by which the clock of a process is shifted',
  LOCKSTEP_SCREENSHOTS: 'tests: `renew` takes the pages as they look for the reference',
  LOCKSTEP_PEER_ALL: 'tests: compares every transaction with geth in every form of trace',
  LOCKSTEP_DAMAGES: 'tests: number of damaged files of each test that damages them',
  LOCKSTEP_KILLS: 'tests: number of kills of each loop of kills',
  LOCKSTEP_BAD_REQUESTS: 'tests: number of bad requests to send to geth and to the node',
} as const

/** Ends of names that certainly come from Kubernetes, which derives them from the name of a service. */
const SERVICE = /^LOCKSTEP_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/

/** Kubernetes' address of a service, such as tcp://10.0.0.1:8545. */
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//

/** True for a variable that an orchestrator has set for a service whose name begins with `lockstep`. */
function isOfService(name: string, value: string): boolean {
  return SERVICE.test(name) || (name.endsWith('_PORT') && SERVICE_ADDRESS.test(value))
}

/**
 * Variables that look like ours and change nothing: a mistyped key would go unnoticed. Those of services are
 * not meant for us.
 * @returns CONFIG_INVALID for each, naming the variable and the nearest known name
 */
export function* unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Generator<LockstepError, void> {
  const known = new Set([
    ...CONFIG_ENTRIES.map(({ variable }) => variable),
    ...Object.keys(OTHER_VARIABLES),
  ])
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !name.startsWith(PREFIX) || known.has(name)) continue
    if (isOfService(name, value)) continue
    const near = nearestName(name.slice(PREFIX.length), Array.from(known, withoutPrefix))
    yield new LockstepError('CONFIG_INVALID', `unknown environment variable ${name}`, {
      hint: near === undefined ? `unset ${name}` : `did you mean ${PREFIX}${near}?`,
    })
  }
}

function withoutPrefix(name: string): string {
  return name.slice(PREFIX.length)
}
