"""Actions: what each job did, when, where, with what, and the workflow engine's part in it."""

import json
from typing import Any

from crating.context import Context
from crating.files import add_input, add_source
from crating.graph import Reference
from crating.jobs import Job, short_hash
from crating.machines import add_machine
from crating.parameters import setting_of
from crating.tools import step_id, tool_id

_COMPLETED = "http://schema.org/CompletedActionStatus"


def add_action(context: Context, job: Job) -> Reference:
    """Add what a job did, and the workflow engine's part in it."""
    made = job.made
    action = context.graph.add(
        f"#job-{job.id}",
        "CreateAction",
        name=" ".join([made.rule, *map(str, made.wildcards.values())]),
        description=_description(job),
        startTime=made.started,
        endTime=job.ended,
        actionStatus=_COMPLETED,
        agent=context.agent,
        location=add_machine(context.graph, job, context.directory),
        instrument={"@id": tool_id(job)},
        object=_objects(context, job),
        result=[add_input(context, known) for known in job.outputs],
    )
    context.graph.add(
        f"#control-{job.id}",
        "ControlAction",
        name=f"start of {made.rule}",
        actionStatus=_COMPLETED,
        instrument={"@id": step_id(job)},
        object=[action],
    )
    return action


def add_run(context: Context, workflow: Reference) -> Reference:
    """Add the run of the workflow as a whole, and the workflow engine's part in it."""
    outside = [known for job in context.jobs for known in job.made.inputs if known.file not in context.history]
    run = context.graph.add(
        "#run",
        "CreateAction",
        name="the study",
        description=f"All {len(context.jobs)} jobs, in one call of the workflow engine or in several.",
        startTime=context.started,
        endTime=context.ended,
        actionStatus=_COMPLETED,
        agent=context.agent,
        instrument=workflow,
        object=[add_input(context, known) for known in outside],
        result=[add_input(context, known) for job in context.jobs for known in job.outputs],
    )
    context.graph.add(
        "#orchestration",
        "OrganizeAction",
        name="orchestration of the study",
        startTime=context.started,
        endTime=context.ended,
        agent=context.agent,
        instrument={"@id": "#engine"},
        object=[{"@id": f"#control-{job.id}"} for job in context.jobs],
        result=run,
    )
    return run


def _description(job: Job) -> str:
    git = job.made.git
    code = "no repository" if git is None else f"commit {git['commit']}{' with changes' if git['dirty'] else ''}"
    return f"Rule {job.made.rule} on host {job.made.host}, code of {code}."


def _objects(context: Context, job: Job) -> list[Reference]:
    read = [add_input(context, known) for known in job.made.inputs]
    served = [file for source in job.made.sources for file in add_source(context, source)]
    told = [_add_setting(context, job, *item) for item in {**job.made.wildcards, **job.made.params}.items()]
    return read + served + told


def _add_setting(context: Context, job: Job, name: str, value: Any) -> Reference:
    parameter = setting_of(tool_id(job), name)
    return context.graph.add(
        f"#value-{short_hash([parameter.owner, name, value])}",
        "PropertyValue",
        name=name,
        value=value if isinstance(value, str | int | float) else json.dumps(value, sort_keys=True),
        exampleOfWork=parameter.reference,
    )
