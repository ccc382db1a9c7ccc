import { expect, onTestFinished, test } from 'vitest'
import type { LockstepError } from '../../../../host/base/error.ts'
import { runApart, WorkerClient } from '../../../../host/base/worker/worker-client.ts'
import type { EchoWork } from './echo-worker.ts'

const SCRIPT = new URL('./echo-worker.ts', import.meta.url)

function open(onNote: (note: string) => void = () => {}) {
  const deaths: LockstepError[] = []
  const worker = new WorkerClient<EchoWork, unknown, string>({
    script: SCRIPT,
    name: 'the echo thread',
    hint: 'start it again',
    onNote,
    onDeath: (error) => deaths.push(error),
  })
  onTestFinished(() => worker.close())
  return { worker, deaths }
}

test('each request gets its own answer, in whatever order they end', async () => {
  const { worker } = open()
  const ends: unknown[] = []
  const late = worker.run({ kind: 'wait', text: 'late' }).then((text) => ends.push(text))
  const early = worker.run({ kind: 'echo', text: 'early' }).then((text) => ends.push(text))
  await Promise.all([late, early])
  expect(ends).toEqual(['early', 'late'])
})

test('an error of the worker keeps its code, message and remedy, and the worker continues', async () => {
  const { worker, deaths } = open()
  await expect(worker.run({ kind: 'refuse', text: 'no room' })).rejects.toMatchObject({
    code: 'STORE_FULL',
    message: expect.stringContaining('no room'),
    hint: 'free some space',
  })
  expect(await worker.run({ kind: 'echo', text: 'on' })).toBe('on')
  expect(deaths).toEqual([])
})

test('work that cannot be copied rejects only that request', async () => {
  const { worker, deaths } = open()
  const text = (() => 'no data') as never
  await expect(worker.run({ kind: 'echo', text })).rejects.toMatchObject({ name: 'DataCloneError' })
  expect(await worker.run({ kind: 'echo', text: 'on' })).toBe('on')
  expect(deaths).toEqual([])
})

test('notes arrive before the answer of the request that sent them', async () => {
  const notes: string[] = []
  const { worker } = open((note) => notes.push(note))
  await worker.run({ kind: 'note', text: 'first' })
  expect(notes).toEqual(['first'])
})

test.each([
  ['ends with a code', { kind: 'exit', code: 3 }, 'it ended with code 3'],
  ['throws outside of a request', { kind: 'throw', text: 'broken' }, 'broken'],
  [
    'answers a request that was not made',
    { kind: 'answer', number: 1000 },
    'it answered request 1000, which was not made',
  ],
] as const)(
  'a worker that %s rejects all requests with the reason, including later ones',
  async (_, work, how) => {
    const { worker, deaths } = open()
    const died = {
      code: 'ENGINE_FAULT',
      message: expect.stringContaining(`the echo thread died: ${how}`),
      hint: 'start it again',
    }
    const pending = [worker.run({ kind: 'wait', text: 'never' }), worker.run(work)]
    for (const { status, ...rest } of await Promise.allSettled(pending.slice(0, 1))) {
      expect([status, rest]).toEqual(['rejected', { reason: expect.objectContaining(died) }])
    }
    await Promise.allSettled(pending)
    await expect(worker.run({ kind: 'echo', text: 'late' })).rejects.toMatchObject(died)
    expect(deaths).toEqual([expect.objectContaining(died)])
    await worker.close({ kind: 'echo', text: 'last' })
  },
)

test('a worker whose note cannot be handled is terminated with that error', async () => {
  const { worker, deaths } = open(() => {
    throw new Error('out of step')
  })
  await expect(worker.run({ kind: 'note', text: 'x' })).rejects.toMatchObject({
    message: 'the echo thread died: out of step',
  })
  expect(deaths).toHaveLength(1)
})

test('closing a worker waits for its last request, rejects the others, and does not count as a death', async () => {
  const { worker, deaths } = open()
  const stopping = { code: 'SERVER_BUSY', message: 'the node is stopping' }
  const pending = expect(worker.run({ kind: 'wait', text: 'never' })).rejects.toMatchObject(
    stopping,
  )
  await expect(worker.close({ kind: 'refuse', text: 'at the end' })).rejects.toMatchObject({
    code: 'STORE_FULL',
  })
  await pending
  await expect(worker.run({ kind: 'echo', text: 'late' })).rejects.toMatchObject(stopping)
  expect(deaths).toEqual([])
})

test('a worker that never had work closes at once, and accepts no work afterwards', async () => {
  const { worker, deaths } = open()
  await worker.close({ kind: 'exit', code: 1 })
  await expect(worker.run({ kind: 'echo', text: 'late' })).rejects.toMatchObject({
    code: 'SERVER_BUSY',
    message: 'the node is stopping',
  })
  expect(deaths).toEqual([])
})

test('a worker that cannot start rejects its work', async () => {
  const worker = new WorkerClient<EchoWork>({
    script: new URL('http://127.0.0.1/worker.js'),
    name: 'the echo thread',
  })
  await expect(worker.run({ kind: 'echo', text: '' })).rejects.toMatchObject({
    code: 'ENGINE_FAULT',
    cause: { code: 'ERR_INVALID_URL_SCHEME' },
  })
  await worker.close()
})

test('work on its own thread ends with the reason of its signal', async () => {
  const leaving = new AbortController()
  const options = { script: SCRIPT, name: 'the echo thread' }
  const work: EchoWork = { kind: 'wait', text: 'never' }
  const apart = runApart<EchoWork, unknown>(options, work, leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(apart).rejects.toThrow('gone')
  await expect(runApart(options, work, leaving.signal)).rejects.toThrow('gone')
  expect(await runApart(options, { kind: 'echo', text: 'here' })).toBe('here')
})
