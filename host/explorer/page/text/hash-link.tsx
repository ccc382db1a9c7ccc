import type { Hex } from '../../../base/hex.ts'
import { middleCut } from '../decode/format/middle-cut.ts'
import { Link } from './link.tsx'

/** The hash of a transaction, linked to it. */
export function HashLink({ hash, most = 18 }: { readonly hash: Hex; readonly most?: number }) {
  return (
    <Link class="mono" to={{ page: { kind: 'tx', hash } }} title={hash}>
      {middleCut(hash, most)}
    </Link>
  )
}
