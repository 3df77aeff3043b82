{{- /* Labels of an object. Called with the root and the name of its server, without the prefix. */ -}}
{{- define "rain.labels" -}}
{{ include "rain.podLabels" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- /* Without the version of the chart, so that a new one alone replaces no pod. */ -}}
{{- define "rain.podLabels" -}}
{{ include "rain.selector" . }}
app.kubernetes.io/part-of: red-packet-rain
{{- end -}}

{{- /* `name` is the job of the alerts, whatever the release is called. */ -}}
{{- define "rain.selector" -}}
app.kubernetes.io/name: {{ with .server }}rain-{{ . }}{{ else }}rain{{ end }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end -}}

{{- define "rain.image" -}}
{{- $hint := "name the image that you have built from deploy/docker/Dockerfile and pushed to your registry" -}}
{{- $repository := required (printf "image.repository is missing: %s" $hint) .root.Values.image.repository -}}
{{- $own := and (eq .server "gateway") .root.Values.gateway.tag -}}
{{- printf "%s:%s" $repository ($own | default .root.Values.image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}

{{- define "rain.host" -}}
{{- required "host is missing: the host name of players and operators, such as rain.example.com" .Values.host -}}
{{- end -}}

{{- /* Values for each server: the settings of the base, with the two that follow from the host. */ -}}
{{- define "rain.settings" -}}
{{- $host := include "rain.host" . -}}
{{- $own := dict "GATEWAY_PUBLIC_URL" (printf "wss://%s/v1" $host) "ALLOWED_ORIGINS" (printf "https://%s" $host) -}}
{{- toYaml (merge (dict "METRICS_PORT" "9464") .Values.settings $own) -}}
{{- end -}}

{{- /* The versions of the Secrets in the cluster: when one has changed, the next upgrade replaces the pods. A hash of
       the values would let readers of pods guess a weak password. `helm template` asks no cluster: "unknown". */ -}}
{{- define "rain.secretVersions" -}}
{{- $versions := list -}}
{{- range .names -}}
{{- $found := lookup "v1" "Secret" $.root.Release.Namespace . -}}
{{- $versions = append $versions (dig "metadata" "resourceVersion" "unknown" $found) -}}
{{- end -}}
{{- join "," $versions -}}
{{- end -}}

{{- define "rain.fewRights" -}}
{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
{{- end -}}

{{- define "rain.caVolume" -}}
{ name: ca, secret: { secretName: {{ .Values.secrets.ca }}, items: [{ key: ca.crt, path: ca.crt }], optional: true } }
{{- end -}}

{{- define "rain.caMount" -}}
{ name: ca, mountPath: /etc/rain/ca, readOnly: true }
{{- end -}}

{{- define "rain.secretEnv" -}}
{{- $reference := pick . "name" "key" "optional" -}}
{ name: {{ .key }}, valueFrom: { secretKeyRef: {{ toJson $reference }} } }
{{- end -}}
