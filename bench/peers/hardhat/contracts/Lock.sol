// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// Holds its initial balance until a time, then pays it to its owner.
contract Lock {
    uint256 public immutable unlockTime;
    address payable public immutable owner;

    event Withdrawal(uint256 amount, uint256 when);

    error NotOwner(address caller);

    constructor(uint256 unlockTime_) payable {
        require(block.timestamp < unlockTime_, "unlock time is not in the future");
        unlockTime = unlockTime_;
        owner = payable(msg.sender);
    }

    function withdraw() external {
        require(block.timestamp >= unlockTime, "it is still locked");
        if (msg.sender != owner) revert NotOwner(msg.sender);
        emit Withdrawal(address(this).balance, block.timestamp);
        (bool isPaid, ) = owner.call{value: address(this).balance}("");
        require(isPaid, "owner takes nothing");
    }
}
