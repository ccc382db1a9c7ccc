import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openToyServer, type ToyServer } from './toy-server.ts'

interface Page {
  readonly items: { readonly cursor: string; readonly event: string; readonly data: object }[]
  readonly more: boolean
  readonly oldest: string
  readonly newest: string
}

let toy: ToyServer
let disabled: ToyServer

beforeAll(async () => {
  // Blocks are 400 ms apart in the toy's time: six of them lie within two seconds of the latest.
  toy = await openToyServer(20, { eventLogWindowMs: 2000 })
  disabled = await openToyServer(1, { eventLogWindowMs: 0 })
})

afterAll(async () => {
  await toy.close()
  await disabled.close()
})

async function ask(params: object): Promise<Page> {
  const { result, error } = await toy.post('events', params)
  expect(error).toBeUndefined()
  return result as Page
}

function heightsOf({ items }: Page): number[] {
  return items.map(({ data }) => {
    const { value } = data as { value: { header: { height: string } } }
    return Number(value.header.height)
  })
}

const HEADERS = { filter: { query: "tm.event='NewBlockHeader'" } }

describe('the route /events', () => {
  test('returns the events of its window, newest first', async () => {
    const page = await ask({ ...HEADERS, maxItems: 100 })
    expect(heightsOf(page)).toEqual([20, 19, 18, 17, 16, 15])
    expect(page.items[0]).toMatchObject({
      event: 'NewBlockHeader',
      data: { type: 'tendermint/event/NewBlockHeader' },
    })
    expect(page.more).toBe(false)
    const { items } = await ask({ maxItems: 14 })
    const steps = items.map(({ event, data }) => [
      event,
      (data as { value: { step?: string } }).value.step,
    ])
    expect(steps).toEqual([
      ['NewRoundStep', 'RoundStepNewHeight'],
      ['NewBlockEvents', undefined],
      ['NewBlockHeader', undefined],
      ['NewBlock', undefined],
      ['NewRoundStep', 'RoundStepCommit'],
      ['Vote', undefined],
      ['NewRoundStep', 'RoundStepPrecommit'],
      ['Lock', 'RoundStepPrevote'],
      ['Polka', 'RoundStepPrevote'],
      ['ValidBlock', 'RoundStepPrevote'],
      ['NewRoundStep', 'RoundStepPrevote'],
      ['CompleteProposal', 'RoundStepPropose'],
      ['NewRoundStep', 'RoundStepPropose'],
      ['NewRound', 'RoundStepNewRound'],
    ])
  })

  test('returns the events before a cursor, and those after one', async () => {
    const first = await ask({ ...HEADERS, maxItems: 2 })
    expect([heightsOf(first), first.more]).toEqual([[20, 19], true])
    const before = first.items[1]?.cursor
    const second = await ask({ ...HEADERS, maxItems: '3', before })
    expect([heightsOf(second), second.more]).toEqual([[18, 17, 16], true])
    const after = second.items[1]?.cursor
    const since = await ask({ ...HEADERS, maxItems: 100, after })
    expect([heightsOf(since), since.more]).toEqual([[20, 19, 18], false])
    expect(heightsOf(await ask({ ...HEADERS, before, after }))).toEqual([18])
  })

  test('answers at once without a wait time, and otherwise waits for a block', async () => {
    const { newest } = await ask({ maxItems: 1 })
    expect((await ask({ after: newest })).items).toEqual([])
    const began = performance.now()
    const waiting = ask({ after: newest, waitTime: '50000000' })
    expect((await waiting).items).toEqual([])
    expect(performance.now() - began).toBeGreaterThanOrEqual(49)
    const old = await ask({
      ...HEADERS,
      after: (await ask(HEADERS)).items[1]?.cursor,
      waitTime: 1e9,
    })
    expect(heightsOf(old)).toEqual([20])
  })

  test('reads its arguments from a query string', async () => {
    const filter = encodeURIComponent(JSON.stringify(HEADERS.filter))
    const response = await fetch(`${toy.url}/events?filter=${filter}&maxItems=1`)
    expect(heightsOf(((await response.json()) as { result: Page }).result)).toEqual([20])
  })

  test.each([
    [{ before: 'x' }, 'invalid cursor: before is "x", want a cursor returned by /events'],
    [{ filter: { query: 5 } }, 'filter must be an object with a string "query"'],
    [{ filter: { query: 'a =' } }, 'offset 3: EOF, wanted number, timestamp, datestamp or string'],
  ])('refuses %j', async (params, data) => {
    expect((await toy.post('events', params)).error?.data).toBe(data)
  })

  test('says how to enable it', async () => {
    expect((await disabled.post('events', {})).error?.data).toBe(
      'the event log is disabled: set rpc.event-log-window-size above 0s',
    )
  })
})
