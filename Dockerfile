# An evaluation in a container:
#   docker build -t prompt-eval . && docker run --rm --env-file .env -v "$PWD/runs:/workspace/runs" prompt-eval eval --prompt v3
FROM python:3.12-slim AS build
WORKDIR /source
COPY requirements.lock ./
RUN python -m venv /opt/prompt-eval && /opt/prompt-eval/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY prompt_evaluation ./prompt_evaluation
COPY scripts ./scripts
COPY services ./services
COPY evaluation ./evaluation
COPY examples ./examples
COPY prompts ./prompts
RUN /opt/prompt-eval/bin/pip install --no-cache-dir --no-deps .

FROM python:3.12-slim
# Files of runs are their owner's alone: on Linux, start with --user "$(id -u)" to own what is written outside.
RUN useradd --create-home --uid 10001 evaluator && install -d -o evaluator /workspace /workspace/runs
COPY --from=build /opt/prompt-eval /opt/prompt-eval
ENV PATH="/opt/prompt-eval/bin:$PATH" PYTHONUNBUFFERED=1 EVAL_RUNS_DIR=/workspace/runs
USER evaluator
WORKDIR /workspace
VOLUME ["/workspace/runs"]
ENTRYPOINT ["prompt-eval"]
CMD ["--help"]
