import { useEffect, useState } from 'preact/hooks'

/** Wide enough for panes side by side. */
const WIDE = '(min-width: 60rem)'

export function useIsWide(): boolean {
  const [isWide, setWide] = useState(() => window.matchMedia(WIDE).matches)
  useEffect(() => {
    const query = window.matchMedia(WIDE)
    const change = () => setWide(query.matches)
    query.addEventListener('change', change)
    return () => query.removeEventListener('change', change)
  }, [])
  return isWide
}
