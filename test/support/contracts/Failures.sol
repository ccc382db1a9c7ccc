// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Each function fails at the line whose comment is its name.

library PublicMath {
  function half(uint256 a, uint256 b) public pure returns (uint256) {
    require(a > b, "half"); // ofLibrary
    return a / 2;
  }
}

library InternalMath {
  function less(uint256 a, uint256 b) internal pure returns (uint256) {
    return a - b; // ofInternalLibrary
  }
}

interface Flags {
  function flag() external view returns (bool);
}

contract Other {
  uint256 immutable floor;

  constructor(uint256 floor_) {
    require(floor_ != 7, "floor"); // create
    floor = floor_;
  }

  function check(uint256 amount) external view returns (uint256) {
    require(amount >= floor, "below"); // callOther
    return amount;
  }
}

abstract contract Base {
  error Denied(address who, uint256 limit);

  address internal owner;
  uint256 internal total;

  modifier onlyOwner() {
    require(msg.sender == owner, "not the owner"); // modified
    _;
  }

  modifier after_() {
    _;
    total -= 1; // modifiedAfter
  }

  function inherited(uint256 amount) public virtual returns (uint256) {
    total -= amount; // inherited
    return total;
  }

  function _guard(uint256 amount) internal view {
    if (amount > total) revert Denied(msg.sender, total); // nested
  }
}

contract Failures is Base {
  enum Phase { Open, Closed }
  struct Item { uint256 price; uint256[] parts; }

  uint256 immutable scale;
  uint256[] list;
  bytes text;
  Item item;
  Other other;
  function(uint256) internal returns (uint256) pointer;

  constructor(uint256 scale_, Other other_) {
    scale = 100 / scale_; // constructed
    other = other_;
    text = "short";
    assembly {
      // An invalid encoding of bytes: the lowest bit says long, the length is short.
      sstore(text.slot, 3)
    }
  }

  function asserted(uint256 a) external pure {
    uint256 b = a / 3;
    assert(b == a); // asserted
  }

  function added(uint256 a) external returns (uint256) {
    uint256 b = a * 2;
    b = b - total;
    total = b + type(uint256).max; // added
    return total;
  }

  function multiplied(uint256 a) external pure returns (uint256) {
    return
      a * // multiplied
      type(uint128).max *
      type(uint128).max *
      a;
  }

  function looped(uint8 n) external returns (uint8 sum) {
    for (uint8 i = 1; i <= n; i++) { // loopedHead
      total += i;
      sum += i; // looped
    }
  }

  function divided(uint256 a) external view returns (uint256) {
    uint256 zero = total + a;
    return a % (zero - a); // divided
  }

  function enumerated(uint256 a) external pure returns (Phase) {
    uint256 b = a * 3;
    return Phase(b); // enumerated
  }

  function encoded() external view returns (uint256) {
    uint256 a = list.length;
    return a + bytes(text).length; // encoded
  }

  function popped() external {
    total = 4;
    list.pop(); // popped
  }

  function indexedStorage(uint256 i) external returns (uint256) {
    list.push(5);
    total = list[i]; // indexedStorage
    return total;
  }

  function indexedMemory(uint256 i) external pure returns (uint256) {
    uint256[] memory a = new uint256[](3);
    a[0] = 1;
    return a[0] + a[i]; // indexedMemory
  }

  function indexedCalldata(uint256[] calldata a, uint256 i) external pure returns (uint256) {
    uint256 n = a.length;
    return n + a[i]; // indexedCalldata
  }

  function allocated(uint256 n) external pure returns (uint256) {
    uint256[] memory a = new uint256[](n); // allocated
    return a.length;
  }

  function pointed(uint256 a) external returns (uint256) {
    uint256 b = a * 3;
    return pointer(b); // pointed
  }

  function required(uint256 a) external pure {
    uint256 b = a * 3;
    require(b == 1, "no reason to go on"); // required
  }

  function requiredBare(uint256 a) external pure {
    require(a < 100);
    require(a == 0); // requiredBare
  }

  function requiredError(uint256 a) external view {
    require(a == 0, Denied(msg.sender, a)); // requiredError
  }

  function reverted(uint256 a) external pure {
    if (a > 1) {
      revert("too much"); // reverted
    }
  }

  function revertedBare(uint256 a) external pure {
    if (a == 0) return;
    revert(); // revertedBare
  }

  function revertedError(uint256 a) external view {
    if (a > 1)
      revert Denied(msg.sender, a); // revertedError
  }

  function nested(uint256 a) external returns (uint256) {
    total = 3;
    _guard(a);
    return a;
  }

  function called(uint256 a) external view returns (uint256) {
    uint256 b = a + 1;
    return other.check(b); // called
  }

  function callOther(uint256 a) external view returns (uint256) {
    return other.check(a);
  }

  function callNothing() external view returns (uint256) {
    Other none = Other(address(0x1234));
    return none.check(1); // callNothing
  }

  function badReturn() external view returns (uint256) {
    uint256 a = total;
    return Flags(address(2)).flag() ? a : 0; // badReturn
  }

  function create(uint256 a) external returns (address) {
    return address(new Other(a));
  }

  function spent(uint256 n) external returns (uint256 sum) {
    for (uint256 i = 0; i < n; i++) {
      list.push(i); // spent
    }
    return sum;
  }

  function sent(uint256 wei_) external {
    total = 1;
    payable(msg.sender).transfer(wei_); // sent
  }

  function ofLibrary(uint256 a) external pure returns (uint256) {
    return PublicMath.half(a, a);
  }

  function ofInternalLibrary(uint256 a) external returns (uint256) {
    total = a * 2;
    return InternalMath.less(a, total);
  }

  function modified() external onlyOwner {
    total = 1;
  }

  function modifiedAfter() external after_ returns (uint256) {
    return owner == address(0) ? 1 : 2;
  }

  function ofImmutable(uint256 a) external view returns (uint256) {
    uint256 b = a + scale;
    return b - a - scale - 1; // ofImmutable
  }

  function unpayable(uint256 a) external pure returns (uint256) { // unpayable
    return a;
  }

  function decoded(uint256 a, bytes calldata b) external pure returns (uint256) { // decoded
    return a + b.length;
  }

  function narrowed(uint8 a) external pure returns (uint256) { // narrowed
    return a;
  }

  function yul(uint256 a) external pure {
    assembly {
      if gt(a, 1) {
        mstore(0, a)
        revert(0, 32) // yul
      }
    }
  }

  function inChecked(uint256 a) external returns (uint256) {
    unchecked {
      total = total - a;
    }
    return inner(total, a); // only the caller
  }

  function inner(uint256 a, uint256 b) internal pure returns (uint256) {
    return a + b; // inChecked
  }
}
