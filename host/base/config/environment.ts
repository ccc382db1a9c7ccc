import { LockstepError } from '../error.ts'
import { nearestName } from './nearest-name.ts'
import { CONFIG_ENTRIES } from './schema.ts'

/** Prefix of Lockstep's environment variables. */
const PREFIX = 'LOCKSTEP_'

/** Passphrase of the keyring, for scripts. */
export const PASSPHRASE_VARIABLE = 'LOCKSTEP_KEYS_PASSWORD'

/** Secret of an app of the wallets, for scripts. */
export const APP_SECRET_VARIABLE = 'LOCKSTEP_WALLET_APP_SECRET'

/** Variables that are not configuration keys, with their purpose. */
export const OTHER_VARIABLES = {
  LOCKSTEP_HOME: 'folder of the node if `--home` is not given',
  [PASSPHRASE_VARIABLE]: 'passphrase of the keyring if `--password-file` is not given',
  [APP_SECRET_VARIABLE]: 'secret of a wallet app if `--app-secret-file` is not given',
  LOCKSTEP_VECTORS: 'tests: folder of the published vectors',
  LOCKSTEP_SEED: 'tests: random seed, as a failed run prints it',
  LOCKSTEP_FUZZ_CASES: 'tests: number of generated modexp cases',
  LOCKSTEP_GETH: 'tests: path of a geth to compare with',
  LOCKSTEP_EVM: 'tests: path of the evm of geth to compare with',
  LOCKSTEP_COMETBFT: 'tests: path of a cometbft 0.38 to compare with',
  LOCKSTEP_PRIV_VAL_SERVER: 'tests: path of the signer of cometbft 0.38',
  LOCKSTEP_COSMOVISOR: 'tests: path of a cosmovisor of 1.5 or later',
  LOCKSTEP_SIGNER_HARNESS: 'tests: path of a tm-signer-harness',
  LOCKSTEP_CHROMIUM: 'tests: path of the Chromium to drive; empty for none',
  LOCKSTEP_FIREFOX: 'tests: path of the Firefox to drive; empty for none',
  LOCKSTEP_PYTHON:
    'tests: path of a Python with the packages of bench/peers/python.txt, for the component and the wallets',
  LOCKSTEP_PYTHON_CLIENTS:
    'tests: path of a Python with the packages of bench/peers/python-clients.txt, for payers and agents',
  LOCKSTEP_POSTGRES: 'tests: folder of the programs of a PostgreSQL',
  LOCKSTEP_CARGO: 'tests: path of the cargo that builds the test program of the component',
  LOCKSTEP_TEST_CLOCK: 'tests: path of a file with the clock offset of a process in seconds',
  LOCKSTEP_SCREENSHOTS: 'tests: `renew` stores the screenshots of the pages as the reference',
  LOCKSTEP_PEER_ALL: 'tests: compare every transaction with geth in every trace format',
  LOCKSTEP_DAMAGES: 'tests: number of damaged files per test that damages files',
  LOCKSTEP_KILLS: 'tests: number of kills per kill loop',
  LOCKSTEP_BAD_REQUESTS: 'tests: number of malformed requests to send to geth and to the node',
} as const

/** Name endings that Kubernetes derives from the name of a service. */
const SERVICE = /^LOCKSTEP_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/

/** Kubernetes' address of a service, such as tcp://10.0.0.1:8545. */
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//

/** Returns true if an orchestrator set the variable for a service whose name begins with `lockstep`. */
function isOfService(name: string, value: string): boolean {
  return SERVICE.test(name) || (name.endsWith('_PORT') && SERVICE_ADDRESS.test(value))
}

/**
 * Yields an error per variable with our prefix that no key has: a mistyped key would go unnoticed. Variables that an
 * orchestrator sets for services are skipped.
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
