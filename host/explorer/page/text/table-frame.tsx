import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Props {
  /** Of what scrolls, for who comes to it by the keyboard. */
  readonly label: string
  readonly children: ComponentChildren
}

/** A table that scrolls sideways by itself where it is wider than the page: by the keyboard too. */
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
