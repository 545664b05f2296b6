# SPDX-License-Identifier: Apache-2.0
"""POST /api/uploads."""

from fastapi import APIRouter

router = APIRouter(tags=["uploads"])
