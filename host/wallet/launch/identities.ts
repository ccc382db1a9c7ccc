import { execFileSync } from 'node:child_process'
import { LockstepError } from '../../base/error.ts'
import type { Identity } from './start-contract.ts'

/** The users of the two processes, if the daemon can switch users. */
export interface Identities {
  readonly signer: Identity
  readonly service: Identity
}

interface User {
  readonly uid: number
  readonly gid: number
}

/** UIDs that no distribution assigns: above those of people, below those of systemd. */
const SIGNER_UID = 64_031
const SERVICE_UID = 64_032

function refuse(message: string, hint: string): never {
  throw new LockstepError('CONFIG_INVALID', `[wallets] ${message}`, { hint })
}

/** Returns what `id` prints for a user name or number, or undefined if the user does not exist. */
function ask(flag: '-u' | '-g' | '-nu', user: string): string | undefined {
  try {
    return execFileSync('id', [flag, '--', user], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}

function userOf(key: 'signer-user' | 'service-user', text: string, fallback: number): User {
  if (text === '') {
    const owner = ask('-nu', `${fallback}`)
    if (owner === undefined) return { uid: fallback, gid: fallback }
    return refuse(
      `${key} is empty, and its default uid ${fallback} belongs to user ${owner}`,
      `write ${key} = "<user>" with a user that runs nothing else`,
    )
  }
  const uid = ask('-u', text) ?? (/^\d{1,9}$/.test(text) ? text : undefined)
  if (uid === undefined)
    refuse(`${key} = "${text}": there is no such user`, 'create it, or name another user')
  if (Number(uid) === 0) refuse(`${key} = "${text}" is root`, 'name a user that runs nothing else')
  return { uid: Number(uid), gid: Number(ask('-g', text) ?? uid) }
}

/**
 * Returns the users of the two processes.
 * @throws CONFIG_INVALID if the configured users do not isolate the processes
 */
export function chooseIdentities(signerUser: string, serviceUser: string): Identities {
  const signer = userOf('signer-user', signerUser, SIGNER_UID)
  const service = userOf('service-user', serviceUser, SERVICE_UID)
  if (signer.uid === service.uid) {
    refuse(
      `signer-user and service-user both have uid ${signer.uid}`,
      'name two users: the API process must not reach the signer process',
    )
  }
  if (signer.gid === service.gid) {
    refuse(
      `signer-user and service-user both have group ${signer.gid}`,
      'give each user its own group: members of the service group may connect to the signer',
    )
  }
  return {
    signer: { ...signer, groups: [service.gid] },
    service: { ...service, groups: [] },
  }
}
