import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Props {
  /** Label of the scrolling region for keyboard users. */
  readonly label: string
  readonly children: ComponentChildren
}

/** A table that scrolls sideways if it is wider than the page, by keyboard too. */
export function TableFrame({ label, children }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const isWide = useSignal(false)
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      isWide.value = element.scrollWidth > element.clientWidth
    })
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [isWide])
  const scrolls = isWide.value
    ? ({ role: 'region', tabIndex: 0, 'aria-label': `${label}, scrolls sideways` } as const)
    : {}
  return (
    <div ref={frame} class="table-frame" {...scrolls}>
      {children}
    </div>
  )
}
