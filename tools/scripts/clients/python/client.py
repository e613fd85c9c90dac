"""Calls of the property data service: retries, idempotency keys, pages and batches. The typed operations are in operations.py."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from . import models
from .operations import Operations

AGAIN = frozenset([429, 502, 503, 504])
FIRST_WAIT_S = 0.5
BATCH = 1000


class Refused(Exception):
    """A call that was refused: its status, and what the service says."""

    def __init__(self, status: int, detail: Any) -> None:
        super().__init__(f"refused with {status}: {detail}")
        self.status = status
        self.detail = detail


class PropertyData(Operations):
    """The service, by its address and an API key. A call that is refused for a moment or gets no answer is sent again, up to
    `attempts` times; of a POST every attempt has the same Idempotency-Key, so that it is paid once."""

    def __init__(self, base_url: str, key: str, attempts: int = 5, timeout_s: float = 60) -> None:
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._attempts = attempts
        self._timeout_s = timeout_s

    def _call(self, method: str, path: str, names: Mapping[str, str], given: Mapping[str, Any]) -> Any:
        where = path.format(**{name: urllib.parse.quote(value, safe="") for name, value in names.items()})
        values = {name: value for name, value in given.items() if value is not None}
        headers = {"authorization": f"Bearer {self._key}"}
        data = None
        if method == "POST":
            data = json.dumps(values).encode()
            headers.update({"content-type": "application/json", "idempotency-key": str(uuid.uuid4())})
        elif values:
            where += "?" + urllib.parse.urlencode({name: _text(value) for name, value in values.items()})
        request = urllib.request.Request(self._base_url + where, data=data, headers=headers, method=method)
        return self._send(request)

    def _send(self, request: urllib.request.Request) -> Any:
        for attempt in range(1, self._attempts + 1):
            wait = FIRST_WAIT_S * 2 ** (attempt - 1)
            try:
                with urllib.request.urlopen(request, timeout=self._timeout_s) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                if error.code not in AGAIN or attempt == self._attempts:
                    raise Refused(error.code, _detail(error.read())) from None
                wait = float(error.headers.get("retry-after") or wait)
            except urllib.error.URLError:
                if attempt == self._attempts:
                    raise
            time.sleep(wait)
        raise AssertionError("unreachable")

    def batches(
        self,
        endpoints: Sequence[str],
        ids: Optional[Sequence[str]] = None,
        addresses: Optional[Sequence[str]] = None,
        params: Optional[Dict[str, Any]] = None,
    ) -> Iterator[models.BatchDataResult]:
        """Results of any number of properties, by id or by address, in order; each 1,000 are one call."""
        every: List[str] = list(ids if ids is not None else addresses or [])
        for start in range(0, len(every), BATCH):
            some = every[start : start + BATCH]
            given: Dict[str, Any] = {"ids": some} if ids is not None else {"addresses": some}
            yield from self.batch(endpoints=endpoints, params=params, **given).results

    def pages_of_changes(self, since: int, **given: Any) -> Iterator[models.ChangesData]:
        """Pages of what changed since a publication; one with `start_anew` is the only one. Ask with `publication` of the last page next time."""
        cursor: Optional[str] = None
        while True:
            page = self.changes(since=since, cursor=cursor, **given).data
            if page is None:
                return
            yield page
            if page.next_cursor is None:
                return
            cursor = page.next_cursor


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, (list, tuple)) else str(value)


def _detail(body: bytes) -> Any:
    try:
        return json.loads(body)["detail"]
    except (ValueError, KeyError, TypeError):
        return body[:200].decode(errors="replace")
