import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import type { Identities } from './identities.ts'

/** Where the files of wallets are. */
export interface WalletFolders {
  /** Of the signer alone. */
  readonly signer: string
  /** Of the API alone. */
  readonly service: string
  /** Path of the signer's socket, which the API may connect to and nobody else. */
  readonly socket: string
}

/** A path of a Unix socket has at most 103 bytes on some systems. */
const MOST_SOCKET_BYTES = 103

const OTHERS_PASS = 0o001
const SOCKET_NAME = 'signer.sock'

/** The paths below the folder of the configuration. */
export function walletFolders(folder: string): Omit<WalletFolders, 'socket'> {
  return { signer: join(folder, 'signer'), service: join(folder, 'service') }
}

/** The folders that lead to a path, from the root on, without itself. */
function ancestorsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [] : [...ancestorsOf(parent), parent]
}

/**
 * Lets the users pass through the home to their folders: of what is root's, and closed, the group becomes theirs, and
 * may pass and not list. Returns the folder that they cannot pass, or undefined.
 */
export function openPassage(
  home: string,
  folder: string,
  { service }: Identities,
): string | undefined {
  const target = realpathSync(folder)
  const own = realpathSync(home)
  for (const path of [...ancestorsOf(target), target]) {
    const { mode, uid } = statSync(path)
    if ((mode & OTHERS_PASS) !== 0) continue
    const isOurs = path === own || path.startsWith(own + sep) || path === target
    if (!isOurs || uid !== 0) return path
    chownSync(path, 0, service.gid)
    chmodSync(path, 0o710)
  }
  return undefined
}

/** Files that a command has made as root. Whoever owns the folder could have put links into it: none is followed. */
function giveFiles(folder: string, uid: number, gid: number): void {
  for (const name of readdirSync(folder)) {
    let file: number
    try {
      file = openSync(
        join(folder, name),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      )
    } catch {
      continue
    }
    const { nlink, uid: owner } = fstatSync(file)
    if (owner === 0 && nlink === 1) fchownSync(file, uid, gid)
    closeSync(file)
  }
}

function makeFolder(path: string, mode: number, owner: { uid: number; gid: number } | undefined) {
  mkdirSync(path, { recursive: true, mode })
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid)
  // Behind the change of owner, which takes the bit of the group away.
  chmodSync(path, mode)
}

/** Makes the folders of both processes, and that of the socket, which is elsewhere where its path would be too long. */
export function makeFolders(folder: string, identities: Identities | undefined): WalletFolders {
  const { signer, service } = walletFolders(folder)
  makeFolder(signer, 0o700, identities?.signer)
  makeFolder(service, 0o700, identities?.service)
  if (identities !== undefined) {
    giveFiles(signer, identities.signer.uid, identities.signer.gid)
    giveFiles(service, identities.service.uid, identities.service.gid)
  }
  const below = join(folder, 'socket')
  const isShort = Buffer.byteLength(join(below, SOCKET_NAME)) <= MOST_SOCKET_BYTES
  const place = isShort ? below : mkdtempSync(join(tmpdir(), 'lockstep-'))
  const owner = identities && { uid: identities.signer.uid, gid: identities.service.gid }
  // What is made in it has the group of the API.
  makeFolder(place, identities === undefined ? 0o700 : 0o2710, owner)
  return { signer, service, socket: join(place, SOCKET_NAME) }
}

/** Removes the folder of the socket, which may be one of the system's temporary ones. */
export function removeSocketFolder({ socket }: WalletFolders): void {
  rmSync(dirname(socket), { recursive: true, force: true })
}
