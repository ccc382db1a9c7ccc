import { describe, expect, it } from 'vitest'
import {
  MAX_HEIGHT,
  ScaledScroll,
} from '../../../../../../host/explorer/page/debug/list/scaled-scroll.ts'
import { makeRandom, runSeed } from '../../../../../support/random.ts'

const ROWS = 10_000_000
const SIZE = { rows: ROWS, rowHeight: 20, viewHeight: 600 }
const LAST_TOP = ROWS * 20 - 600

describe('a scaled list of 10 M rows', () => {
  it('has a height that every browser supports', () => {
    expect(new ScaledScroll(SIZE).height).toBe(MAX_HEIGHT)
    expect(MAX_HEIGHT * 4).toBeLessThan(17_895_697)
  })

  it('shows its first row at the top of the scroll bar and its last at the bottom', () => {
    const scroll = new ScaledScroll(SIZE)
    expect(scroll.rows).toEqual({ first: 0, end: 30, offset: 0 })
    scroll.scrolled(MAX_HEIGHT - 600)
    expect(scroll.top).toBe(LAST_TOP)
    expect(scroll.rows).toEqual({ first: ROWS - 30, end: ROWS, offset: MAX_HEIGHT - 600 })
  })

  it('moves by one pixel per pixel of the wheel, also in the middle', () => {
    const scroll = new ScaledScroll(SIZE)
    scroll.moveTo(100_000_000)
    scroll.scrolled(scroll.scrollTop + 53)
    expect(scroll.top).toBe(100_000_053)
    scroll.scrolled(scroll.scrollTop - 100)
    expect(scroll.top).toBe(99_999_953)
  })

  it('moves in proportion when the scroll bar is dragged', () => {
    const scroll = new ScaledScroll(SIZE)
    scroll.scrolled(MAX_HEIGHT / 2)
    expect(scroll.top / (ROWS * 20)).toBeCloseTo(0.5, 2)
  })

  it('keeps the visible rows when the scroll bar is repositioned', () => {
    const scroll = new ScaledScroll(SIZE)
    scroll.moveTo(100_000_000)
    for (let i = 0; i < 100; i++) scroll.scrolled(scroll.scrollTop + 500)
    const { first } = scroll.rows
    scroll.settle(scroll.restingScrollTop)
    expect(scroll.rows.first).toBe(first)
    expect(scroll.top).toBe(100_050_000)
  })

  it('does not move for a visible row, moves little for the next, and centers a distant one', () => {
    const scroll = new ScaledScroll(SIZE)
    scroll.moveTo(1000 * 20)
    scroll.reveal(1005)
    expect(scroll.top).toBe(20_000)
    scroll.reveal(1030)
    expect(scroll.top).toBe(20_020)
    scroll.reveal(1000)
    expect(scroll.top).toBe(20_000)
    scroll.reveal(5_000_000)
    expect(scroll.top).toBe(5_000_000 * 20 - 290)
  })

  const seed = runSeed()
  it(`shows every requested row and never a position outside (LOCKSTEP_SEED=${seed})`, () => {
    const random = makeRandom(seed)
    const scroll = new ScaledScroll(SIZE)
    for (let round = 0; round < 20_000; round++) {
      const act = random()
      if (act < 0.4) {
        const row = Math.floor(random() * ROWS)
        scroll.reveal(row)
        expect(scroll.top).toBeLessThanOrEqual(row * 20)
        expect(scroll.top + 600).toBeGreaterThanOrEqual(row * 20 + 20)
      } else if (act < 0.8) {
        scroll.scrolled(clamp(scroll.scrollTop + Math.round((random() - 0.5) * 2000)))
      } else if (act < 0.9) {
        scroll.scrolled(Math.round(random() * (MAX_HEIGHT - 600)))
      } else {
        scroll.settle(scroll.restingScrollTop)
      }
      const { first, end, offset } = scroll.rows
      expect(scroll.top).toBeGreaterThanOrEqual(0)
      expect(scroll.top).toBeLessThanOrEqual(LAST_TOP)
      expect(scroll.scrollTop).toBeLessThanOrEqual(MAX_HEIGHT - 600)
      expect(end - first).toBeGreaterThanOrEqual(30)
      expect(end - first).toBeLessThanOrEqual(32)
      // The first row begins at the upper edge or is cut by it.
      expect(scroll.scrollTop - offset).toBeGreaterThanOrEqual(0)
      expect(scroll.scrollTop - offset).toBeLessThan(20)
    }
  })

  it(`restores a position from the resting scroll bar within one pixel (LOCKSTEP_SEED=${seed})`, () => {
    const random = makeRandom(seed)
    const perPixel = LAST_TOP / MAX_HEIGHT
    for (let round = 0; round < 5_000; round++) {
      const scroll = new ScaledScroll(SIZE)
      scroll.moveTo(Math.floor(random() * LAST_TOP))
      const there = new ScaledScroll(SIZE)
      there.scrolled(scroll.restingScrollTop)
      expect(Math.abs(there.top - scroll.top)).toBeLessThanOrEqual(2 * perPixel)
    }
  })
})

describe('a scaled list that is short', () => {
  it('scrolls like a plain element', () => {
    const scroll = new ScaledScroll({ rows: 100, rowHeight: 20, viewHeight: 600 })
    expect(scroll.height).toBe(2000)
    scroll.scrolled(1234)
    expect(scroll.top).toBe(1234)
    expect(scroll.rows).toEqual({ first: 61, end: 92, offset: 1220 })
  })

  it('may be empty or shorter than the view', () => {
    const few = new ScaledScroll({ rows: 3, rowHeight: 20, viewHeight: 600 })
    few.reveal(2)
    expect(few.rows).toEqual({ first: 0, end: 3, offset: 0 })
    expect(new ScaledScroll({ rows: 0, rowHeight: 20, viewHeight: 600 }).rows).toEqual({
      first: 0,
      end: 0,
      offset: 0,
    })
  })

  it('keeps its position when the window is resized, as far as there are rows', () => {
    const scroll = new ScaledScroll({ rows: 100, rowHeight: 20, viewHeight: 600 })
    scroll.moveTo(1400)
    scroll.resize({ rows: 100, rowHeight: 20, viewHeight: 1000 })
    expect(scroll.top).toBe(1000)
  })
})

function clamp(scrollTop: number): number {
  return Math.max(0, Math.min(MAX_HEIGHT - 600, scrollTop))
}
