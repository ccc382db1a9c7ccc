import { useSignal } from '@preact/signals'
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** A row to render. */
export interface VirtualRow {
  readonly index: number
  /** Pixels from the start of the list. */
  readonly start: number
}

export interface VirtualRows {
  readonly rows: readonly VirtualRow[]
  /** Total pixels of all rows. */
  readonly height: number
  scrollTo(index: number): void
}

/** Returns the visible rows of a scrolling list with a fixed row height, and some around them. */
export function useVirtualRows(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
): VirtualRows {
  const drawn = useSignal(0)
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => {
      drawn.value++
    },
  }
  const kept = useRef<Virtualizer<HTMLElement, HTMLElement> | undefined>(undefined)
  kept.current ??= new Virtualizer(options)
  const virtualizer = kept.current
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer])
  useLayoutEffect(() => virtualizer._willUpdate())
  // Read to redraw the list when it changes.
  void drawn.value
  return {
    rows: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  }
}
