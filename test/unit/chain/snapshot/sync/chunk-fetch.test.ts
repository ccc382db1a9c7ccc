import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LockstepError, messageOf } from '../../../../../host/base/error.ts'
import type { RpcServer } from '../../../../../host/chain/consensus/follow/rpc-server.ts'
import { chunkName } from '../../../../../host/chain/snapshot/chunk-file.ts'
import { sealMetadata } from '../../../../../host/chain/snapshot/metadata.ts'
import { fetchChunks } from '../../../../../host/chain/snapshot/sync/chunk-fetch.ts'

const CONTENTS = [0, 1, 2, 3, 4, 5, 6].map((n) => Buffer.alloc(1_000 + n, n))
const METADATA = sealMetadata({
  format: 1,
  height: 40,
  chainId: 'toy-1',
  appHash: 'ab'.repeat(32),
  chunks: CONTENTS.map((content) => ({
    sha256: createHash('sha256').update(content).digest('hex'),
    size: content.length,
    contentSize: content.length,
  })),
})

/** A server of chunks whose answers `give` determines. */
class ChunkServer {
  readonly asked: number[] = []
  readonly name: string
  readonly #give: (index: number) => Buffer

  constructor(name: string, give = (index: number): Buffer => CONTENTS[index] as Buffer) {
    this.name = name
    this.#give = give
  }

  async get(path: string): Promise<Uint8Array> {
    const index = Number(/index=(\d+)$/.exec(path)?.[1])
    expect(path).toBe(`lockstep_snapshot_chunk?height=40&index=${index}`)
    this.asked.push(index)
    return this.#give(index)
  }

  invalid(what: string): LockstepError {
    return new LockstepError('PEER_INVALID', `${this.name}: ${what}`)
  }
}

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lockstep-chunks-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

async function fetchFrom(servers: readonly ChunkServer[], signal = new AbortController().signal) {
  const punished: string[] = []
  const there: number[] = []
  await fetchChunks({
    // Only the members faked above are used here.
    offer: { metadata: METADATA, servers: servers as unknown as RpcServer[] },
    dir,
    punish: ({ name }, thrown) => punished.push(`${name} ${messageOf(thrown)}`),
    isUsable: ({ name }) => !punished.some((line) => line.startsWith(`${name} `)),
    onChunk: (chunks) => there.push(chunks),
    signal,
  })
  expect(there).toEqual([1, 2, 3, 4, 5, 6, 7])
  for (const [index, content] of CONTENTS.entries()) {
    expect(readFileSync(join(dir, chunkName(index)))).toEqual(content)
  }
  return punished
}

describe('the chunks of a snapshot', () => {
  test('are fetched from all servers in turn', async () => {
    const servers = [new ChunkServer('a'), new ChunkServer('b')]
    expect(await fetchFrom(servers)).toEqual([])
    expect(servers.map(({ asked }) => asked)).toEqual([
      [0, 2, 4, 6],
      [1, 3, 5],
    ])
  })

  test('are fetched from another server if one gives invalid bytes or none, and the failed server is dropped', async () => {
    const liar = new ChunkServer('liar', (index) => Buffer.alloc(1_000 + index, 99))
    const short = new ChunkServer('short', () => Buffer.alloc(1))
    const down = new ChunkServer('down', () => {
      throw new LockstepError('NODE_UNREACHABLE', 'nobody answers')
    })
    const honest = new ChunkServer('honest')
    const punished = await fetchFrom([liar, short, down, honest])
    const names = new Set(punished.map((line) => line.split(' ')[0]))
    expect(names).toEqual(new Set(['liar', 'short', 'down']))
    expect(liar.asked.length).toBeLessThan(3)
    expect(new Set(honest.asked)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]))
  })

  test('are not fetched again after a kill at any moment, unless they are damaged', async () => {
    const ending = new AbortController()
    const first = new ChunkServer('first', (index) => {
      if (index === 4) ending.abort(new Error('ended'))
      return CONTENTS[index] as Buffer
    })
    await expect(fetchFrom([first], ending.signal)).rejects.toThrow('ended')
    // A file that was incomplete when the power failed.
    writeFileSync(join(dir, chunkName(1)), CONTENTS[1]?.subarray(0, 500) ?? '')
    writeFileSync(join(dir, chunkName(2)), Buffer.alloc(1_002, 77))
    const second = new ChunkServer('second')
    expect(await fetchFrom([second])).toEqual([])
    expect(second.asked).toContain(1)
    expect(second.asked).toContain(2)
    expect(second.asked).not.toContain(0)
    expect(second.asked).not.toContain(3)
  })

  test('cannot be fetched if no server is left that has them', async () => {
    const liar = new ChunkServer('liar', () => Buffer.alloc(3))
    await expect(fetchFrom([liar])).rejects.toMatchObject({
      code: 'NODE_UNREACHABLE',
      message: expect.stringMatching(/^no server returns chunk \d of the snapshot of height 40$/),
    })
  })
})
