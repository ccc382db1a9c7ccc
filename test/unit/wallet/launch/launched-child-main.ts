// A process as the daemon starts it, which reports what it received and what it may do.
import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { runChild } from '../../../../host/wallet/launch/run-child.ts'

export interface ChildStart {
  readonly folder: string
  readonly behaviour: 'serve' | 'fail' | 'exit' | 'hang'
  /** Paths of files to read. */
  readonly reads: readonly string[]
  readonly first: number | undefined
}

export interface ChildFacts {
  readonly pid: number
  /** SHA-256 of each secret, with its kind. */
  readonly secrets: readonly string[]
  readonly variables: readonly string[]
  /** Error code of each attempt, or `done`. */
  readonly tried: Readonly<Record<string, string>>
  readonly first: number | undefined
  readonly user: number | undefined
}

function attempt(what: () => unknown): string {
  try {
    what()
    return 'done'
  } catch (thrown) {
    const { code, name } = thrown as { code?: string; name: string }
    return code ?? name
  }
}

async function tryAll(folder: string, reads: readonly string[]): Promise<Record<string, string>> {
  const { spawnSync } = await import('node:child_process')
  const { Worker } = await import('node:worker_threads')
  const inspector = await import('node:inspector')
  const addon = join(folder, 'no.node')
  return {
    ownWrite: attempt(() => writeFileSync(join(folder, 'own'), 'x')),
    ownRead: attempt(() => readFileSync(join(folder, 'own'))),
    code: attempt(() => readFileSync(new URL('../../../../package.json', import.meta.url))),
    otherWrite: attempt(() => writeFileSync(join(folder, '..', 'other'), 'x')),
    child: attempt(() => spawnSync('/bin/true')),
    worker: attempt(() => new Worker('', { eval: true })),
    addon: attempt(() => process.dlopen({ exports: {} }, addon)),
    text: attempt(() => new Function('return 1')()),
    debugger: attempt(() => inspector.open(0)),
    ...Object.fromEntries(reads.map((path) => [path, attempt(() => readFileSync(path))])),
  }
}

/** Collects garbage if Node was started with --expose-gc. */
async function collectGarbage(): Promise<void> {
  const { gc } = globalThis as { readonly gc?: () => void }
  // Collected objects are finalized in later event loop turns.
  for (let turn = 0; turn < 5; turn++) {
    gc?.()
    await setImmediate()
  }
}

await runChild<ChildStart, ChildFacts>(async ({ start, secrets, log, confine }) => {
  const { behaviour, folder, reads, first } = start
  if (behaviour === 'exit') {
    process.stderr.write('out of luck\n')
    process.exit(3)
  }
  if (behaviour === 'fail') {
    appendFileSync(join(folder, 'failed'), `${process.pid}\n`)
    // Keeps the event loop open.
    setInterval(() => {}, 1_000)
    throw new TypeError('no vault')
  }
  await confine()
  await collectGarbage()
  log.info('a line of the child', { amount: 7n, behaviour })
  const facts: ChildFacts = {
    pid: process.pid,
    secrets: secrets.map(
      ({ kind, bytes }) => `${kind} ${createHash('sha256').update(bytes).digest('hex')}`,
    ),
    variables: Object.keys(process.env).sort(),
    tried: await tryAll(folder, reads),
    first,
    user: process.getuid?.(),
  }
  return {
    facts,
    close: async () => {
      if (behaviour === 'hang') await new Promise((resolve) => setTimeout(resolve, 1 << 30))
      writeFileSync(join(folder, 'closed'), '')
    },
  }
})
