"""Runs the official Python client through what it does against one surface of the sandbox; one line of JSON a check.

Takes COMFY_BASE_URL, COMFY_API_KEY and COMFY_ROUTER_BASE_URL, as the client itself does, and SURFACE.
"""

import json
import os
import uuid

from comfy_sdk import Comfy, ComfyError, NotFound
from comfy_sdk import router_exceptions as router_failures

SURFACE = os.environ["SURFACE"]
client = Comfy()


def check(name, holds, saw=None):
    print(json.dumps({"name": name, "holds": bool(holds), "saw": repr(saw)[:400]}), flush=True)


def failure_of(work):
    try:
        work()
    except Exception as failure:  # whatever the client makes of it is what is looked at
        return failure
    return None


def is_uuid(text):
    try:
        return str(uuid.UUID(text)) == text
    except (TypeError, ValueError):
        return False


def picture_graph(color):
    picture = {"width": 8, "height": 8, "batch_size": 1, "color": color}
    return {
        "1": {"class_type": "EmptyImage", "inputs": picture},
        "2": {"class_type": "SaveImage", "inputs": {"images": ["1", 0], "filename_prefix": "python"}},
    }


def jobs():
    job = client.submit(client.workflows.from_json(picture_graph(0x33AA55)))
    job.wait(30)
    check("a job is submitted and waited for", job.status == "succeeded", job.status)
    unknown = failure_of(lambda: client.jobs.get(str(uuid.uuid4())))
    check("an unknown job is NotFound", isinstance(unknown, NotFound), unknown)
    if SURFACE != "self_hosted":
        check("a failure carries the id of its request", getattr(unknown, "request_id", None), unknown)
    return job.id


def lists(job_id):
    if SURFACE == "hosted":
        failed = failure_of(lambda: list(client.list_jobs()))
        check("hosted lists no jobs over v2: not_implemented", getattr(failed, "code", None) == "not_implemented", failed)
        return
    listed = list(client.list_jobs(limit=100))
    own = next((item for item in listed if item.id == job_id), None)
    check("the job is in the list", own is not None, [item.id for item in listed][:5])
    if own is None:
        return
    if SURFACE == "deployment":
        check("a deployment's item has create_time and update_time", own.create_time is not None and own.update_time is not None, own)
        check("a deployment's item has its deployment and no created_at", own.deployment_id is not None and "created_at" not in own.data, own.data)
        paged = list(client.list_jobs(limit=1))
        check("pages follow one another to the end", len(paged) == len(listed), [len(paged), len(listed)])
        bad = failure_of(lambda: client._low.list_jobs(cursor="not-a-cursor"))
        check("a cursor that nobody issued is invalid_cursor", getattr(bad, "code", None) == "invalid_cursor", bad)
    else:
        check("a proxy's item has created_at rather than create_time", own.create_time is None and "created_at" in own.data, own.data)
        check("a proxy sends no cursor", "next_cursor" not in client._low.list_jobs())


def router():
    page = client.models.list(limit=5).page()
    check("the catalog comes in pages", len(page.data) == 5 and page.has_more, page)
    check("every answer carries a request id that is a UUID", is_uuid(page.request_id or ""), page.request_id)
    schema = client.models.schema("lab/image")
    check("a schema comes with its tag", schema.document is not None and schema.etag is not None, schema.etag)
    check("an unchanged schema is told as such", client.models.schema("lab/image", etag=schema.etag).unchanged)
    result = client.models.run_detailed("lab/open", {"prompt": "2024"})
    check("a run gives its credits", result.credits_used is not None, result)
    check("a run gives its request id, a UUID", is_uuid(result.request_id or ""), result.request_id)
    invalid = failure_of(lambda: client.models.run("lab/image", {"prompt": 7}))
    check("a refused input is the router's InvalidInput, and no workflow's", isinstance(invalid, router_failures.InvalidInput), invalid)
    missing = failure_of(lambda: client.models.run("lab/nothing", {}))
    check("an unknown model is ModelNotFound", isinstance(missing, router_failures.ModelNotFound), missing)


def queue():
    handle = client.models.submit("lab/open", {"prompt": "queued"})
    check("a queued request has a UUID", is_uuid(handle.request_id), handle.request_id)
    check("its result comes", isinstance(handle.get(timeout=30), dict))
    done = handle.status()
    check("it is completed, without a place", done.is_completed and done.error_type is None and "queue_position" not in done.raw, done.raw)

    slow = client.models.submit("lab/slow", {"ms": 60_000})
    told = slow.cancel()
    check("a cancel answers with the request's id", told.raw.get("request_id") == slow.request_id, told.raw)
    canceled = failure_of(lambda: slow.get(timeout=30))
    check("a canceled request ends as Cancelled", isinstance(canceled, router_failures.Cancelled), canceled)

    stranger = failure_of(lambda: client.models.handle("lab/open", str(uuid.uuid4())).status())
    check("an unknown request is RequestNotFound", isinstance(stranger, (router_failures.RequestNotFound, NotFound, ComfyError)), stranger)


lists(jobs())
if SURFACE != "self_hosted":
    router()
    queue()
client.close()
