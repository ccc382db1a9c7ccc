import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../host/base/error.ts'
import { type Home, homeAt } from '../../../../host/node/home/home.ts'
import { lockHome } from '../../../../host/node/home/home-lock.ts'
import { makeHome, removeHome } from '../../../support/node/daemon.ts'

const MODULES = ['home.ts', 'home-lock.ts'].map((name) =>
  fileURLToPath(new URL(`../../../../host/node/home/${name}`, import.meta.url)),
)

/** Takes the lock in its own process, reports that, and holds it. */
const HOLDER = `
  const [home, lock] = ${JSON.stringify(MODULES)}
  const { homeAt } = await import(home)
  const { lockHome } = await import(lock)
  try {
    globalThis.held = lockHome(homeAt(process.argv[1]))
    process.stdout.write('held')
    setInterval(() => {}, 1000)
  } catch (error) {
    process.stdout.write(error.code)
  }
`

function spawnHolder(folder: string): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '-e', HOLDER, folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function firstWord(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the child has no output')
  const [chunk] = await once(child.stdout, 'data')
  return String(chunk)
}

function refusal(home: Home): LockstepError {
  try {
    lockHome(home).release()
  } catch (error) {
    if (error instanceof LockstepError) return error
    throw error
  }
  throw new Error('the lock was given twice')
}

describe('lockHome', () => {
  let folder: string
  let children: ChildProcess[]

  beforeEach(() => {
    folder = makeHome()
    children = []
  })
  afterEach(async () => {
    for (const child of children) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    }
    removeHome(folder)
  })

  const hold = (): ChildProcess => {
    const child = spawnHolder(folder)
    children.push(child)
    return child
  }

  test('names the process that holds the lock', async () => {
    const holder = hold()
    expect(await firstWord(holder)).toBe('held')
    const error = refusal(homeAt(folder))
    expect(error.code).toBe('HOME_LOCKED')
    expect(error.message).toBe(
      `failed to initialize database: resource temporarily unavailable (${folder} is in use by process ${holder.pid})`,
    )
  })

  test('is released when its process ends, even by kill -9', async () => {
    for (let round = 0; round < 3; round++) {
      const holder = hold()
      expect(await firstWord(holder)).toBe('held')
      holder.kill('SIGKILL')
      await once(holder, 'exit')
      lockHome(homeAt(folder)).release()
    }
  })

  test('is granted to exactly one of many processes that start at once', async () => {
    const contenders = Array.from({ length: 6 }, hold)
    const words = await Promise.all(contenders.map(firstWord))
    expect(words.filter((word) => word === 'held')).toHaveLength(1)
    expect(words.filter((word) => word === 'HOME_LOCKED')).toHaveLength(5)
  })

  test('is refused a second time in one process and granted after release', () => {
    const home = homeAt(folder)
    const lock = lockHome(home)
    expect(refusal(home).message).toContain(`process ${process.pid}`)
    lock.release()
    expect(existsSync(home.lockOwner)).toBe(false)
    lockHome(home).release()
  })

  test('creates the home if it is missing', () => {
    const home = homeAt(`${folder}/new/home`)
    lockHome(home).release()
    expect(existsSync(home.lock)).toBe(true)
  })

  test('prints nothing on stderr', async () => {
    const holder = hold()
    let noise = ''
    holder.stderr?.on('data', (chunk) => {
      noise += chunk
    })
    await firstWord(holder)
    holder.kill('SIGKILL')
    await once(holder, 'close')
    expect(noise).toBe('')
  })
})
