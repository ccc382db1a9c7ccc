import { execFileSync } from 'node:child_process'
import { LockstepError } from '../../base/error.ts'
import type { Identity } from './start-contract.ts'

/** The users of both processes, where the daemon may change to others. */
export interface Identities {
  readonly signer: Identity
  readonly service: Identity
}

interface User {
  readonly uid: number
  readonly gid: number
}

/** Numbers that no distribution gives to anybody, between those of people and those that systemd gives. */
const SIGNER_UID = 64_031
const SERVICE_UID = 64_032

function refuse(message: string, hint: string): never {
  throw new LockstepError('CONFIG_INVALID', `[wallets] ${message}`, { hint })
}

/** What `id` says of a user, by name or number; undefined where there is none. */
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
      `${key} is empty, and number ${fallback} is that of user ${owner}`,
      `write ${key} = "<user>", one who runs nothing else`,
    )
  }
  const uid = ask('-u', text) ?? (/^\d{1,9}$/.test(text) ? text : undefined)
  if (uid === undefined)
    refuse(`${key} = "${text}": there is no such user`, 'make it, or name another')
  if (Number(uid) === 0) refuse(`${key} = "${text}" is root`, 'name a user who runs nothing else')
  return { uid: Number(uid), gid: Number(ask('-g', text) ?? uid) }
}

/** @throws CONFIG_INVALID where the configured users do not keep the processes apart */
export function chooseIdentities(signerUser: string, serviceUser: string): Identities {
  const signer = userOf('signer-user', signerUser, SIGNER_UID)
  const service = userOf('service-user', serviceUser, SERVICE_UID)
  if (signer.uid === service.uid) {
    refuse(
      `signer-user and service-user are both number ${signer.uid}`,
      'name two users: the one that serves must not reach the one that signs',
    )
  }
  if (signer.gid === service.gid) {
    refuse(
      `signer-user and service-user both have group ${signer.gid}`,
      'give each user a group of its own: that of the API is who may speak to the signer',
    )
  }
  return {
    signer: { ...signer, groups: [service.gid] },
    service: { ...service, groups: [] },
  }
}
