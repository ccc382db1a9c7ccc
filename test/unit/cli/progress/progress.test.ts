import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type ProgressSite, withProgress } from '../../../../host/cli/progress/progress.ts'

const OPTIONS = { label: 'Importing', unit: 'blocks', resume: 'run it again' }

/** Returns an output site with a manual clock that records what is written. */
function makeSite({ isTerminal = false, columns = 100 } = {}) {
  let now = 0
  let interrupt: (() => void) | undefined
  const written = { stderr: '', stdout: '' }
  const writer = (name: keyof typeof written) => (text: string | Uint8Array) => {
    written[name] += String(text)
    return true
  }
  const site: ProgressSite = {
    stderr: { write: writer('stderr'), isTTY: isTerminal, columns },
    stdout: { write: writer('stdout') },
    isTerminal,
    clock: () => now,
    onStopSignal: (onFirst) => {
      interrupt = () => onFirst('SIGINT')
      return () => {
        interrupt = undefined
      }
    },
  }
  const pass = (milliseconds: number): void => {
    now += milliseconds
  }
  return {
    site,
    written,
    pass,
    interrupt: () => interrupt?.(),
    isHeard: () => interrupt !== undefined,
  }
}

describe('progress that is not written to a terminal', () => {
  test('has a line every five seconds, with rate and remaining time', async () => {
    const { site, written, pass } = makeSite()
    const work = async (progress: { update(done: number, total?: number): unknown }) => {
      for (let done = 0; done <= 1200; done += 100) {
        progress.update(done, 2000)
        pass(1000)
      }
      return 'result'
    }
    expect(await withProgress(OPTIONS, work, site)).toBe('result')
    expect(written.stderr.split('\n')).toEqual([
      'Importing: 500 of 2000 blocks (25%), 100 blocks/s, 15s left',
      'Importing: 1000 of 2000 blocks (50%), 100 blocks/s, 10s left',
      '',
    ])
    expect(written.stdout).toBe('')
  })

  test('has no line for work that ends at once', async () => {
    const { site, written } = makeSite()
    await withProgress(OPTIONS, async (progress) => progress.update(7), site)
    expect(written.stderr).toBe('')
  })

  test('excludes earlier work from the rate', async () => {
    const { site, written, pass } = makeSite()
    await withProgress(
      OPTIONS,
      async (progress) => {
        progress.update(1_000_000)
        pass(5_000)
        progress.update(1_000_010)
      },
      site,
    )
    expect(written.stderr).toBe('Importing: 1000010 blocks, 2.0 blocks/s\n')
  })

  test('computes the rate over the last ten seconds', async () => {
    const { site, written, pass } = makeSite()
    await withProgress(
      OPTIONS,
      async (progress) => {
        progress.update(0)
        for (let second = 1; second <= 20; second++) {
          pass(1_000)
          progress.update(second <= 5 ? second * 10_000 : 50_000 + second)
        }
      },
      site,
    )
    expect(written.stderr.trimEnd().split('\n').at(-1)).toBe(
      'Importing: 50020 blocks, 1.0 blocks/s',
    )
  })
})

describe('progress on a terminal', () => {
  test('rewrites one line and clears it at the end', async () => {
    const { site, written, pass } = makeSite({ isTerminal: true })
    await withProgress(
      { ...OPTIONS, total: 40 },
      async (progress) => {
        progress.update(0)
        pass(99)
        progress.update(5) // Too early for the next redraw.
        pass(901)
        progress.update(10)
      },
      site,
    )
    expect(written.stderr.split('\r\x1b[K')).toEqual([
      '',
      'Importing [........................]   0%  0 of 40 blocks',
      'Importing [######..................]  25%  10 of 40 blocks  10.0 blocks/s  3s left',
      '',
    ])
  })

  test.each([20, 30, 60, 79, 200])('fits into a line of %d columns', async (columns) => {
    const { site, written, pass } = makeSite({ isTerminal: true, columns })
    await withProgress(
      { ...OPTIONS, unit: 'bytes', total: 8e9 },
      async (progress) => {
        for (let done = 0; done < 8e9; done += 1e9) {
          progress.update(done)
          pass(777)
        }
      },
      site,
    )
    const lines = written.stderr.split('\r\x1b[K')
    for (const line of lines) expect(line.length).toBeLessThan(columns)
    if (columns === 200) {
      expect(lines.at(-2)).toBe(
        'Importing [#####################...]  87%  7.0 GB of 8.0 GB  1.3 GB/s  1s left',
      )
    }
  })

  test('clears its line before a line of the result', async () => {
    const { site, written } = makeSite({ isTerminal: true })
    await withProgress(
      OPTIONS,
      async (progress) => {
        progress.update(1)
        progress.print('ok  chain.db')
      },
      site,
    )
    expect(written.stdout).toBe('ok  chain.db\n')
    expect(written.stderr).toBe('\r\x1b[KImporting  0 blocks\r\x1b[K')
  })
})

test('progress starts at zero with each stage', async () => {
  const { site, written, pass } = makeSite()
  await withProgress(
    { ...OPTIONS, total: 10 },
    async (progress) => {
      progress.update(10)
      progress.stage({ label: 'Hashing', unit: 'rows' })
      pass(6_000)
      progress.update(3)
    },
    site,
  )
  expect(written.stderr).toBe('Hashing: 3 rows\n')
})

test('progress is not shown with --quiet', async () => {
  for (const isTerminal of [true, false]) {
    const { site, written, pass } = makeSite({ isTerminal })
    await withProgress(
      { ...OPTIONS, quiet: true },
      async (progress) => {
        pass(60_000)
        progress.update(3)
      },
      site,
    )
    expect(written).toEqual({ stderr: '', stdout: '' })
  }
})

describe('Ctrl-C', () => {
  const INTERRUPTED = {
    code: 'INTERRUPTED',
    message: 'interrupted while importing, at 3 of 40 blocks',
    hint: 'run it again',
  }

  test('ends the work at its next step and then closes it', async () => {
    const { site, written, interrupt, isHeard } = makeSite({ isTerminal: true })
    const seen: string[] = []
    const work = withProgress(
      { ...OPTIONS, total: 40 },
      async (progress) => {
        try {
          for (let done = 0; ; done++) {
            await progress.update(done)
            if (done === 3) interrupt()
            seen.push(`step ${done}`)
          }
        } finally {
          seen.push('closed')
        }
      },
      site,
    )
    await expect(work).rejects.toMatchObject(INTERRUPTED)
    expect(seen).toEqual(['step 0', 'step 1', 'step 2', 'step 3', 'closed'])
    expect(written.stderr.endsWith('\r\x1b[K')).toBe(true)
    expect(isHeard()).toBe(false)
  })

  test('ends a pending wait', async () => {
    const { site, interrupt } = makeSite()
    const work = withProgress(
      { ...OPTIONS, total: 40 },
      async ({ signal }) => {
        setImmediate(interrupt)
        await sleep(600_000, undefined, { signal })
      },
      site,
    )
    await expect(work).rejects.toMatchObject({ code: 'INTERRUPTED' })
  })

  test('takes effect in work that never waits but yields at each step', async () => {
    const { site, pass, interrupt } = makeSite()
    setImmediate(interrupt)
    const work = withProgress(
      OPTIONS,
      async (progress) => {
        for (let done = 0; done < 1_000_000; done++) {
          await progress.update(done)
          pass(1)
        }
      },
      site,
    )
    await expect(work).rejects.toMatchObject({ code: 'INTERRUPTED' })
  })
})
