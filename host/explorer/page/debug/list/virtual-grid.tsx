import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'
import { startTimer, stopTimer, type Timer } from '../../../../base/timer.ts'
import { pageTarget } from './page-target.ts'
import { ScaledScroll } from './scaled-scroll.ts'

/** Milliseconds after the last movement before the scroll bar is repositioned. */
const REST_MS = 150

export interface VirtualGridProps {
  readonly label: string
  readonly class?: string
  readonly rows: number
  /** The current row; it is scrolled into view when it changes. */
  readonly active: number | undefined
  readonly onActive: (row: number) => void
  /** Another row to scroll to, if the user controls `active`. */
  readonly revealed?: number | undefined
  /** Id of the current item inside the active row, if it is smaller than the row. */
  readonly activeId?: string | undefined
  readonly id: string
  /** A row with role="row" and the id `${id}-${index}`. */
  readonly row: (index: number) => ComponentChildren
  /** Cells with role="columnheader". */
  readonly head?: ComponentChildren
  /** Called to fetch the visible rows. */
  readonly onSeen?: (first: number, end: number) => void
  /** Handles further keys; returns true if it did. */
  readonly onKey?: (event: KeyboardEvent) => boolean
}

/** A grid of any number of rows, which renders only the visible ones. It is a single tab stop. */
export function VirtualGrid(props: VirtualGridProps) {
  const { rows, active, revealed, id } = props
  const element = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLDivElement>(null)
  const probe = useRef<HTMLDivElement>(null)
  const known = useRef<
    { scroll: ScaledScroll; rows: number; active?: number; revealed?: number } | undefined
  >(undefined)
  const size = useRef({ rowHeight: 22, viewHeight: 440 })
  /** Scroll position of the element. */
  const placed = useRef(0)
  const resting = useRef<Timer | undefined>(undefined)
  const [, redraw] = useReducer((count: number) => count + 1, 0)

  known.current ??= { scroll: new ScaledScroll({ rows, ...size.current }), rows }
  const { scroll } = known.current
  if (known.current.rows !== rows) scroll.resize({ rows, ...size.current })
  if (revealed !== undefined && known.current.revealed !== revealed) scroll.reveal(revealed)
  if (active !== undefined && known.current.active !== active) scroll.reveal(active)
  known.current = {
    scroll,
    rows,
    ...(active !== undefined && { active }),
    ...(revealed !== undefined && { revealed }),
  }

  useLayoutEffect(() => {
    const grid = element.current as HTMLDivElement
    const measure = () => {
      const rowHeight = (probe.current as HTMLDivElement).getBoundingClientRect().height
      const viewHeight = grid.clientHeight - (head.current?.offsetHeight ?? 0)
      if (rowHeight <= 0 || viewHeight <= 0) return
      if (rowHeight === size.current.rowHeight && viewHeight === size.current.viewHeight) return
      size.current = { rowHeight, viewHeight }
      const at = known.current
      scroll.resize({ rows: at?.rows ?? 0, rowHeight, viewHeight })
      const shown = at?.active ?? at?.revealed
      if (shown !== undefined) scroll.reveal(shown)
      redraw(undefined)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(grid)
    observer.observe(probe.current as HTMLDivElement)
    measure()
    return () => {
      observer.disconnect()
      stopTimer(resting.current)
    }
  }, [scroll])

  useLayoutEffect(() => {
    // Reading the element's position would force a layout with each step.
    if (placed.current === scroll.scrollTop) return
    place(scroll.scrollTop)
  })

  const place = (scrollTop: number) => {
    const grid = element.current as HTMLDivElement
    grid.scrollTop = scrollTop
    // Browsers round it.
    placed.current = grid.scrollTop
    scroll.settle(placed.current)
  }

  const { first, end, offset } = scroll.rows
  props.onSeen?.(first, end)
  const isActiveSeen = active !== undefined && active >= first && active < end
  const indexes = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at)

  const onScroll = () => {
    placed.current = (element.current as HTMLDivElement).scrollTop
    scroll.scrolled(placed.current)
    stopTimer(resting.current)
    resting.current = startTimer(() => {
      if (element.current === null || Math.abs(scroll.restingScrollTop - scroll.scrollTop) < 1)
        return
      place(scroll.restingScrollTop)
      redraw(undefined)
    }, REST_MS)
    redraw(undefined)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (props.onKey?.(event) === true) {
      event.preventDefault()
      return
    }
    const page = Math.max(1, Math.floor(size.current.viewHeight / size.current.rowHeight) - 1)
    const target = pageTarget(event.key, active, { rows, page })
    if (target === undefined) return
    event.preventDefault()
    props.onActive(target)
  }

  return (
    <div
      ref={element}
      id={id}
      role="grid"
      aria-label={props.label}
      aria-rowcount={rows + (props.head === undefined ? 0 : 1)}
      aria-activedescendant={isActiveSeen ? (props.activeId ?? `${id}-${active}`) : undefined}
      class={`virtual-grid ${props.class ?? ''}`}
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      {props.head !== undefined && (
        <div ref={head} role="row" aria-rowindex={1} class="grid-row grid-head">
          {props.head}
        </div>
      )}
      <div ref={probe} class="grid-row grid-probe" aria-hidden="true" />
      <div role="rowgroup" class="grid-height" style={{ height: `${scroll.height}px` }}>
        <div role="presentation" class="grid-rows" style={{ transform: `translateY(${offset}px)` }}>
          {indexes.map(props.row)}
        </div>
      </div>
    </div>
  )
}
