/** Proposals, as links that open beside the page. */
export function EipLinks({ eips }: { readonly eips: readonly number[] }) {
  return eips.map((eip) => (
    <a
      key={eip}
      href={`https://eips.ethereum.org/EIPS/eip-${eip}`}
      target="_blank"
      rel="noreferrer"
    >
      EIP-{eip}{' '}
    </a>
  ))
}
