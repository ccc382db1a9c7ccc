import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import pg from 'pg'

const PASSWORD = 'not%2Fprinted'
const READY = 'database system is ready to accept connections'

/** Returns the folder of PostgreSQL's programs: that of LOCKSTEP_POSTGRES, of the PATH, or of Debian's latest release. */
function programs(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const releases = existsSync(debian)
    ? readdirSync(debian).sort((a, b) => Number(b) - Number(a))
    : []
  const named = process.env.LOCKSTEP_POSTGRES
  const folders =
    named !== undefined
      ? [named]
      : [
          ...releases.map((release) => join(debian, release, 'bin')),
          ...(process.env.PATH ?? '').split(delimiter),
        ]
  return folders.find((folder) => folder !== '' && existsSync(join(folder, 'initdb')))
}

interface User {
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root. */
function serverUser(): User | undefined {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => {
      const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' })
      return status === 0 ? Number(stdout) : undefined
    })
    if (uid !== undefined && gid !== undefined) return { uid, gid }
  }
  return undefined
}

/** Why tests with PostgreSQL are skipped; empty if they run. */
export const NO_POSTGRES: string = (() => {
  if (programs() === undefined) {
    return process.env.LOCKSTEP_POSTGRES === undefined
      ? 'no PostgreSQL is installed (apt-get install postgresql, or LOCKSTEP_POSTGRES)'
      : `LOCKSTEP_POSTGRES=${process.env.LOCKSTEP_POSTGRES} has no initdb`
  }
  return serverUser() === undefined
    ? 'PostgreSQL does not run as root, and there is no other user'
    : ''
})()

if (NO_POSTGRES !== '') console.log(`skipped: ${NO_POSTGRES}`)

/** Suffix of the names of tests that need PostgreSQL. */
export const POSTGRES_SKIPPED = NO_POSTGRES === '' ? '' : ` (skipped: ${NO_POSTGRES})`

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A PostgreSQL server on loopback, with a cluster of its own in a temporary folder. */
export class PostgresServer {
  readonly port: number
  readonly #folder: string
  readonly #user: User
  #child: ChildProcess | undefined
  #databases = 0

  /** Starts a server, which the caller ends. */
  static async start(): Promise<PostgresServer> {
    // Not in the folder of the test run, which other users may not enter
    const parent = existsSync('/dev/shm') ? '/dev/shm' : '/tmp'
    const folder = mkdtempSync(join(parent, 'lockstep-postgres-'))
    const server = new PostgresServer(folder, await freePort())
    server.#init()
    await server.restart()
    return server
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.port = port
    this.#user = serverUser() ?? {}
    const { uid, gid } = this.#user
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  }

  /** Creates an empty database. Returns its URL, with a password that no message may repeat. */
  async database(): Promise<string> {
    const name = `test_${++this.#databases}`
    const client = new pg.Client({ connectionString: this.#url('postgres') })
    await client.connect()
    await client.query(`create database ${name}`)
    await client.end()
    return this.#url(name)
  }

  /** Kills the server with SIGKILL, which leaves its processes and files as they are. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  /** Starts the server, again if need be: it waits for the processes of a killed one. */
  async restart(): Promise<void> {
    for (;;) {
      const output = await this.#try()
      if (output === undefined) return
      if (!/shared memory block|already running|still in use|Address already in use/.test(output)) {
        throw new Error(`PostgreSQL does not start: ${output}`)
      }
    }
  }

  async end(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }

  #url(name: string): string {
    return `postgres://lockstep:${PASSWORD}@127.0.0.1:${this.port}/${name}`
  }

  #program(name: string): string {
    return join(programs() as string, name)
  }

  #init(): void {
    const secret = join(this.#folder, 'password')
    writeFileSync(secret, `${decodeURIComponent(PASSWORD)}\n`)
    const { uid, gid } = this.#user
    if (uid !== undefined && gid !== undefined) chownSync(secret, uid, gid)
    const { status, stderr } = spawnSync(
      this.#program('initdb'),
      [
        ...['-D', join(this.#folder, 'data'), '-U', 'lockstep', '-A', 'scram-sha-256'],
        ...['--pwfile', secret, '-E', 'UTF8', '--locale', 'C', '--no-sync'],
      ],
      { ...this.#user, encoding: 'utf8', cwd: this.#folder },
    )
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`)
  }

  /** Returns the output if the server has ended before it was ready. */
  #try(): Promise<string | undefined> {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: `${this.port}`,
      unix_socket_directories: '',
      max_connections: '60',
      shared_buffers: '16MB',
      restart_after_crash: 'on',
    }
    const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
    const child = spawn(this.#program('postgres'), ['-D', join(this.#folder, 'data'), ...flags], {
      ...this.#user,
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child = child
    return new Promise((resolve, reject) => {
      let output = ''
      child.on('error', reject)
      child.on('exit', () => resolve(output))
      child.stderr.on('data', (text: Buffer) => {
        output = `${output}${text}`.slice(-10_000)
        if (output.includes(READY)) resolve(undefined)
      })
    })
  }
}
